"""What a check-up found: one entry per check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from paramedic.checkup.table import table
from paramedic.types import Finding


class Status(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Entry:
    """One check: how it ended, why in words, what was found, and the numbers it measured."""

    code: str
    name: str
    status: Status
    reason: str
    findings: tuple[Finding, ...] = ()
    measured: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "name": self.name,
            "status": self.status.value,
            "reason": self.reason,
            "findings": [finding.to_json() for finding in self.findings],
            "measured": dict(self.measured),
            "seconds": self.seconds,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        findings = tuple(Finding.from_json(one) for one in data["findings"])
        known = {**data, "status": Status(data["status"]), "findings": findings}
        return cls(**known)


@dataclass(frozen=True, slots=True)
class Report:
    """The whole check-up. `print(report)` shows the table.

    `ok` is True when no check failed; `judged` tells whether any check could be run at all.
    """

    model: str
    parameters: int
    entries: tuple[Entry, ...]
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """No check failed."""
        return not self.failed

    @property
    def judged(self) -> bool:
        """At least one check was run: silence means something."""
        return any(entry.status is not Status.SKIPPED for entry in self.entries)

    @property
    def failed(self) -> tuple[Entry, ...]:
        """The checks that failed."""
        return self._with(Status.FAILED)

    @property
    def passed(self) -> tuple[Entry, ...]:
        """The checks that passed."""
        return self._with(Status.PASSED)

    @property
    def skipped(self) -> tuple[Entry, ...]:
        """The checks that could not be run; `reason` says why."""
        return self._with(Status.SKIPPED)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found, in the order of the checks."""
        return tuple(finding for entry in self.entries for finding in entry.findings)

    def entry(self, name: str) -> Entry:
        """The entry of a check, by its name or code."""
        for entry in self.entries:
            if name in (entry.name, entry.code):
                return entry
        names = ", ".join(entry.name for entry in self.entries)
        raise KeyError(f"This check-up has no check `{name}`; it has {names}.")

    def _with(self, status: Status) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.status is status)

    def to_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "parameters": self.parameters,
            "ok": self.ok,
            "judged": self.judged,
            "seconds": self.seconds,
            "checks": [entry.to_json() for entry in self.entries],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        entries = tuple(Entry.from_json(one) for one in data["checks"])
        return cls(data["model"], data["parameters"], entries, data["seconds"])

    def summary(self) -> str:
        """One sentence: how many checks ended how."""
        counts = [(len(self.passed), "passed"), (len(self.failed), "failed")]
        words = ", ".join(f"{count} {word}" for count, word in counts)
        return (
            f"{self.model}, {self.parameters:,} parameters: {words}, {len(self.skipped)} skipped "
            f"in {self.seconds:.1f} s."
        )

    def table(self, width: int = 100) -> str:
        """A row per check and the summary, no wider than `width` columns."""
        rows = [(entry.status.value, entry.name, entry.reason) for entry in self.entries]
        return f"{table(rows, width)}\n{self.summary()}"

    def __str__(self) -> str:
        return self.table()
