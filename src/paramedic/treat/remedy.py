"""The contract of a remedy: what it is for, and what it makes of a plan.

```python
@dataclass(frozen=True, slots=True)
class ClipValues:
    \"\"\"Cuts each value of the gradient.\"\"\"

    slug: str = "clip-values"
    title: str = "Clip each value of the gradient"
    against: tuple[str, ...] = ("exploding-gradient",)
    most: float = 10.0

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated: ...
```

Anything with these four names is a remedy: users write their own and put them into
`plan.remedies`. A remedy changes nothing: it gives another plan, or raises a `Refusal` that says
why it does not fit.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Protocol

from paramedic.treat.plan import Plan
from paramedic.treat.surgery import Refusal
from paramedic.types import Finding

__all__ = ["Refusal", "Remedy", "Treated"]


@dataclass(frozen=True, slots=True)
class Treated:
    """A changed plan, in words and as code; `steps` are those of training that it took to find it
    (a learning-rate range test), so that they can be counted."""

    plan: Plan
    description: str
    code: str
    steps: int = 0


class Remedy(Protocol):
    """One way to treat one or more problems."""

    @property
    def slug(self) -> str:
        """Its public name."""

    @property
    def title(self) -> str:
        """What it does, in a few words."""

    @property
    def against(self) -> Collection[str]:
        """The slugs of the findings that it is for."""

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        """The changed plan, or a `Refusal`. `facts` is what else is known of the run."""
