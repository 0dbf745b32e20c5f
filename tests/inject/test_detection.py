"""The point of it all: what is put in is what the monitor finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn, optim

from paramedic.inject.discovery import find
from paramedic.types import Severity

from .patients import net, train

STEPS = 200


def hidden(activation: type[nn.Module]) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        torch.manual_seed(0)
        layers: list[nn.Module] = []
        for width in (12, 32, 32):
            layers += [nn.Linear(width, 32), activation()]
        return nn.Sequential(*layers, nn.Linear(32, 4))

    return build


def adam(model: nn.Module) -> optim.Optimizer:
    return optim.Adam(model.parameters(), lr=3e-3)


def sgd(model: nn.Module) -> optim.Optimizer:
    return optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


PATIENTS: dict[str, tuple[Callable[[], nn.Module], Callable[[nn.Module], optim.Optimizer]]] = {
    "relu": (hidden(nn.ReLU), sgd),
    "tanh": (hidden(nn.Tanh), sgd),
    "batch-norm": (net, adam),
}
TO_THE_END = {"duration": math.inf}

# Fault, patient, the step of its onset, settings.
CASES: list[tuple[str, str, int, dict[str, Any]]] = [
    ("abnormal-data", "relu", 60, {}),
    ("dead-input", "batch-norm", 60, {}),
    ("dying-relu", "batch-norm", 60, {}),
    ("exploding-gradient", "relu", 0, TO_THE_END),
    ("learning-rate-too-high", "batch-norm", 60, {}),
    ("learning-rate-too-low", "relu", 0, {}),
    ("missing-zero-grad", "relu", 60, {}),
    ("non-finite", "batch-norm", 60, {"layer": "5"}),
    ("saturated-activation", "tanh", 0, {}),
    ("uninformative-labels", "batch-norm", 60, {}),
    ("unnormalised-inputs", "tanh", 60, {}),
    ("untrained-parameters", "batch-norm", 60, {}),
    ("vanishing-gradient", "relu", 0, {**TO_THE_END, "layers": ["0", "2"]}),
    ("wrong-mode", "batch-norm", 60, {}),
]


def _root(patient: str, fault: str | None = None, **settings: Any) -> str | None:
    build, make = PATIENTS[patient]
    run = train(STEPS, fault, model=build(), make=make, watch="before", **settings)
    root = run.monitor.diagnosis.root
    return None if root is None or root.severity is Severity.INFO else str(root.slug)


@pytest.mark.parametrize("patient", PATIENTS)
def test_without_a_fault_there_is_no_alarm(patient: str) -> None:
    assert _root(patient) is None


@pytest.mark.parametrize(
    ("fault", "patient", "at", "settings"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES]
)
def test_the_root_is_what_was_put_in(
    fault: str, patient: str, at: int, settings: dict[str, Any]
) -> None:
    kind = find(fault)
    assert _root(patient, fault, at=at, **settings) in {kind.wakes, *kind.neighbours}
