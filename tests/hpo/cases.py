"""Findings and visits for tests of the policy."""

from __future__ import annotations

import math

from paramedic.hpo.verdict import Visit
from paramedic.types import Finding, Severity

CODES = {
    "non-finite": "N001",
    "dying-relu": "A001",
    "learning-rate-too-low": "O002",
    "loss-plateau": "L003",
    "oscillating-loss": "L001",
    "no-more-gain": "L006",
    "too-few-steps": "O008",
}


def finding(slug: str, severity: Severity = Severity.WARNING) -> Finding:
    return Finding(CODES.get(slug, slug), slug, severity, 0.9, f"It has {slug}.", step=3)


def visit(epoch: int, *slugs: str, value: float = math.nan, between: bool = False) -> Visit:
    return Visit(epoch, 10 * epoch, tuple(map(finding, slugs)), value, between)


def visits(*slugs: tuple[str, ...], value: float = math.nan) -> list[Visit]:
    """One visit per epoch, from the first."""
    return [visit(epoch, *found, value=value) for epoch, found in enumerate(slugs, start=1)]
