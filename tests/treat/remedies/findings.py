"""Findings to apply remedies to."""

from __future__ import annotations

from typing import Any

from paramedic.types import Finding, Severity


def finding(slug: str, **evidence: Any) -> Finding:
    """A finding with what proves it."""
    return Finding("X000", slug, Severity.WARNING, 0.9, "It is sick.", 10, evidence=evidence)
