"""Statuses to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paramedic.diagnose.condition import Condition
from paramedic.diagnose.status import Status
from paramedic.types import Epoch, Finding, Kind, Pulse, Remedy, Severity, Verdict

FINDING = Finding(
    "G001", "vanishing-gradient", Severity.CRITICAL, 0.9, "The gradient of `0` is small.", 66,
    evidence={"ratio": 3e-8, "threshold": 1e-3},
)  # fmt: skip
SYMPTOM = Finding(
    "L003", "loss-plateau", Severity.WARNING, 0.8, "The loss rests.", 99, kind=Kind.SYMPTOM
)
REMEDY = Remedy("r", "Use ReLU", 0.89, code="nn.ReLU()", against=("vanishing-gradient",))


def pulse(losses: Sequence[float], first: int = 0) -> Pulse:
    values = np.array(losses, np.float64)
    steps = np.arange(first, first + len(values))
    return Pulse(steps, values, np.isfinite(values), np.zeros(len(values), np.bool_))


def sick(**changes: Any) -> Status:
    """A run in the middle of its way."""
    values: dict[str, Any] = {
        "step": 99,
        "steps": 400,
        "condition": Condition(Verdict.NOT_LEARNING, "the loss is level", "vanishing-gradient"),
        "findings": (FINDING, SYMPTOM),
        "epochs": (Epoch(0, 49, {"val_loss": 0.7}),),
        "pulse": pulse([0.9, 0.8, 0.7, 0.7]),
        "flow": {"0": 1e-9, "2": 1e-5, "4": 1e-2},
        "overhead": 0.0123,
        "looks": 17,
        "seconds": 30.0,
    }
    return Status(**{**values, **changes})
