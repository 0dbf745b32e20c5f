"""Detectors that do what a test says, and pages that a test can read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paramedic.diagnose.detector import Detector, threshold
from paramedic.types import Finding, Severity, Window

PAGE = """Something is silent that should be heard.

## What it looks for
A variance below `quiet`, on a share of the steps that is larger than `share`, as it has been
written in a line that is long.

- One item that is long enough to be wrapped when the terminal is as narrow as a receipt.
- Another.

## Why is this bad?
Silence teaches nothing.

## Example
```python
## not a heading
model = nn.Sequential(
    nn.Linear(2, 2))
```

## Use instead
```python
model = nn.Linear(2, 2)
```
And listen.

## References
- Nobody, 2020.
"""


@dataclass(frozen=True, slots=True)
class Silent(Detector):
    __doc__ = PAGE

    code = "X001"
    slug = "silent-layer"
    needs = frozenset({"act_var"})
    explains = frozenset({"loss-plateau"})
    excludes = frozenset({"loud-layer"})

    quiet: float = threshold(1e-12, "variance below which a layer is silent", source="a guess")
    share: float = threshold(0.5, "share of the steps | of all", source="another")
    frames: int = threshold(3, "frames that must agree", source="experience")

    def examine(self, window: Window) -> Finding | None:
        return None


@dataclass(frozen=True)
class Scripted(Detector):
    """Finds what its script says."""

    code = "X000"
    slug = "scripted"
    patience = 1

    def examine(self, window: Window) -> Finding | None:
        return None


def scripted(
    examine: Callable[[Window], Any] = lambda window: True, slug: str = "scripted", **parts: Any
) -> Detector:
    """A detector whose `examine` is the function; True means a finding."""

    def run(self: Detector, window: Window) -> Any:
        found = examine(window)
        if found is not True:
            return found or None
        step = window.last_step
        return self.finding(window, f"seen at {step}", confidence=0.9, step_seen=step)

    kind = type(slug.title().replace("-", ""), (Scripted,), {"examine": run, "slug": slug, **parts})
    return kind()


def finding(slug: str, **values: Any) -> Finding:
    """A finding with a code made from its slug."""
    given = {
        "code": slug[:4].upper(),
        "severity": Severity.WARNING,
        "confidence": 0.9,
        "message": f"{slug} it is",
        "step": 10,
        **values,
    }
    return Finding(slug=slug, **given)
