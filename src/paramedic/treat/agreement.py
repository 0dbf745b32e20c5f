"""All ranks act together: they decide from the same numbers, and one of them is asked.

Every method here is called by all ranks at the same step of the same optimizer. Nothing is
pickled: numbers travel as numbers, orders as JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

from paramedic.probe import ranks
from paramedic.treat.facts import Facts


@dataclass(frozen=True, slots=True)
class Report:
    """What one rank brings to the table: the facts as it sees them (None if it failed), how
    often it could afford a snapshot, and what rank 0 wants done."""

    facts: Facts | None
    every: int = 1
    letter: Any = None


class Agreement:
    """The ranks of the process group, or this process alone."""

    def __init__(self) -> None:
        self.alone = ranks.world_size() == 1

    def reach(self, report: Report) -> Report:
        """What all ranks agree on; no facts if one of them failed."""
        if self.alone:
            return report
        text = b"" if report.letter is None else json.dumps(report.letter).encode()
        rows = self._gather(_numbers(report.facts, report.every, len(text)))
        able = all(row[0] == 1.0 for row in rows)
        size = int(rows[0][1])
        letter = json.loads(self._broadcast(text, size)) if size else None
        every = int(max(row[2] for row in rows))
        return Report(_merged(rows) if able else None, every, letter)

    def first(self, value: int) -> int:
        """What rank 0 has."""
        return value if self.alone else int(self._gather([float(value)])[0][0])

    def _gather(self, numbers: Sequence[float]) -> list[list[float]]:
        mine = torch.tensor(numbers, dtype=torch.float64, device=_device())
        parts = [torch.empty_like(mine) for _ in range(ranks.world_size())]
        dist.all_gather(parts, mine)
        return [part.tolist() for part in parts]

    def _broadcast(self, text: bytes, size: int) -> bytes:
        data = list(text) if ranks.rank() == 0 else [0] * size
        letter = torch.tensor(data, dtype=torch.uint8, device=_device())
        dist.broadcast(letter, src=0)
        return bytes(letter.tolist())


def _numbers(facts: Facts | None, every: int, size: int) -> list[float]:
    if facts is None:
        return [0.0, float(size), float(every), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    return [
        1.0, float(size), float(every), float(facts.step), facts.loss, facts.norm, facts.rate,
        float(facts.finite), float(facts.from_data),
    ]  # fmt: skip


def _merged(rows: Sequence[Sequence[float]]) -> Facts:
    """One loss, the mean; the worst of everything else."""
    losses = [row[4] for row in rows if not math.isnan(row[4])]
    return Facts(
        step=int(rows[0][3]),
        loss=sum(losses) / len(losses) if losses else math.nan,
        norm=max((row[5] for row in rows), key=lambda norm: (not math.isnan(norm), norm)),
        rate=max(row[6] for row in rows),
        finite=all(row[7] == 1.0 for row in rows),
        from_data=any(row[8] == 1.0 for row in rows),
    )


def _device() -> torch.device:
    """Where the process group can send from."""
    return torch.device("cuda" if dist.get_backend() == "nccl" else "cpu")
