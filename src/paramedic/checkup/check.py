"""The contract: what a check is.

```python
@dataclass(frozen=True, slots=True)
class EveryWeightIsRound(Check):
    \"\"\"Weights are whole numbers.\"\"\"

    code = "C099"
    slug = "round-weights"

    def run(self, patient: Patient) -> Outcome:
        odd = [name for name, value in patient.trainable() if (value % 1).any()]
        return self.outcome("all weights are whole", [self.finding("…", where=odd)] if odd else [])
```

The patient is a copy: a check may do anything to it. What cannot be judged raises `Skip`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from paramedic.types import Finding, Severity

if TYPE_CHECKING:
    from paramedic.checkup.patient import Patient


class Skip(Exception):
    """A check cannot be run on this model; the message says why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check says: a sentence, what it found (then it failed), what it measured."""

    reason: str
    findings: tuple[Finding, ...] = ()
    measured: Mapping[str, Any] = field(default_factory=dict)


class Check(ABC):
    """One pre-flight check. The docstring of a subclass is its manual; fields are thresholds."""

    __slots__ = ()

    code: ClassVar[str]  # `C001`, never reused
    slug: ClassVar[str]  # `gradient-flow`

    @abstractmethod
    def run(self, patient: Patient) -> Outcome:
        """Examine the patient; raise `Skip` where there is nothing to judge."""

    def finding(
        self,
        message: str,
        *,
        severity: Severity = Severity.CRITICAL,
        confidence: float = 0.95,
        where: Iterable[str] = (),
        **evidence: Any,
    ) -> Finding:
        """A finding of this check. Before training the step is 0."""
        return Finding(
            code=self.code,
            slug=self.slug,
            severity=severity,
            confidence=confidence,
            message=message,
            step=0,
            where=tuple(where),
            evidence=evidence,
        )

    def outcome(
        self, reason: str, findings: Iterable[Finding | None] = (), **measured: Any
    ) -> Outcome:
        """Passed with this reason, or failed with the messages of the findings."""
        found = tuple(finding for finding in findings if finding is not None)
        words = " ".join(finding.message for finding in found) or reason
        return Outcome(words[:1].upper() + words[1:], found, measured)
