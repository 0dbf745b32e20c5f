"""Which of many trainings of a program are kept: a search, folds or inner loops make hundreds.

Trainings of the same model whose optimizers are made on the same line are of one kind. The first
and a few others of a kind, the gravest and longest, are kept; of the rest only how many there
were. So neither the report nor the folder of traces grows with their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from paramedic.run.outcome import Record
from paramedic.run.places import Place
from paramedic.run.sources import OPTIMIZER

_KEPT = 5  # trainings of a kind


@dataclass(slots=True)
class _Kind:
    """Trainings that are alike."""

    kept: list[Record] = field(default_factory=list)
    count: int = 0  # of those that are not kept
    steps: int = 0  # of these

    def add(self, record: Record) -> None:
        self.kept.append(record)
        if len(self.kept) > _KEPT:
            least = min(reversed(self.kept[1:]), key=_importance)
            self.kept = [one for one in self.kept if one is not least]
            self.count += 1
            self.steps += least.steps
            discard(least.trace)


def _importance(record: Record) -> tuple[bool, bool, int]:
    return record.conclusion.failed, bool(record.conclusion.faults), record.steps


class Keeping:
    """The records of the trainings that are over."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, Place | None], _Kind] = {}

    def __bool__(self) -> bool:
        return bool(self._kinds)

    def add(self, record: Record) -> None:
        """A training is over; one without a step leaves nothing, unless it should have stepped."""
        if not record.steps:
            discard(record.trace)
            if not record.conclusion.failed:
                return
            record = replace(record, trace=None)
        kind = record.name, record.places.get(OPTIMIZER)
        self._kinds.setdefault(kind, _Kind()).add(record)

    def records(self) -> list[Record]:
        """Those that are kept."""
        return [record for kind in self._kinds.values() for record in kind.kept]

    def rest(self) -> tuple[str, ...]:
        """What there is to say of those that are not, a sentence for each kind."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        for (name, place), kind in self._kinds.items():
            if kind.count:
                where = "" if place is None else f" ({place})"
                each = kind.steps / kind.count
                yield (
                    f"{kind.count} more trainings of {name}{where}, of {each:.0f} steps on "
                    f"average: none graver than those that are listed."
                )


def discard(trace: Path | None) -> None:
    """Remove the file of a trace that is closed."""
    if trace is not None:
        for end in ("", "-wal", "-shm"):
            trace.with_name(trace.name + end).unlink(missing_ok=True)
