"""What became of a finding over the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paramedic.types import Finding


@dataclass(slots=True)
class Case:
    """One sickness of one run: its newest finding, and from when to when it was there."""

    finding: Finding
    opened: int  # the step at which it was told
    seen: int  # the step at which it was last found
    closed: int | None = None  # the step at which it was gone, if it went

    @property
    def is_open(self) -> bool:
        """Whether the sickness is still there."""
        return self.closed is None

    def to_json(self) -> dict[str, Any]:
        """The finding with its story."""
        story = {"opened": self.opened, "seen": self.seen, "closed": self.closed}
        return {**self.finding.to_json(), **story}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Case:
        """What `to_json` gave."""
        return cls(Finding.from_json(data), data["opened"], data["seen"], data["closed"])
