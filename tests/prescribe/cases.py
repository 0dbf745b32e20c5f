"""Findings and windows of made-up runs, so that a test of a cure says only what matters to it."""

from __future__ import annotations

from typing import Any

from paramedic.prescribe.cure import Cure, Dose
from paramedic.types import Finding, Layer, Severity, Window
from tests.diagnose.windows import chart_of, window

SGD = {"name": "SGD", "lr": 0.1, "momentum": 0.0, "weight_decay": 0.0, "maximize": False}
ADAM = {"name": "Adam", "lr": 1e-3, "betas": (0.9, 0.999), "weight_decay": 0.0}


def finding(slug: str, *where: str, step: int = 50, **evidence: Any) -> Finding:
    """A finding of that name with that evidence."""
    return Finding("X001", slug, Severity.CRITICAL, 0.9, "It is sick.", step, where, evidence)


def dose(cure: Cure, found: Finding, seen: Window | None = None) -> Dose:
    """What the cure comes to; it must come to something."""
    given = cure.dose(found, window() if seen is None else seen)
    assert given is not None
    return given


def net(*activations: str, width: int = 8, **settings: Any) -> Any:
    """The chart of a stack of linear layers with these activations between them."""
    layers: list[Layer] = []
    for place, kind in enumerate(activations):
        layers.append(Layer(f"fc{place}", "Linear", width * (width + 1), fan_in=width))
        layers.append(Layer(f"act{place}", kind, activation=kind.lower()))
    layers.append(Layer("head", "Linear", 3 * (width + 1), fan_in=width))
    return chart_of(*layers, **settings)
