"""Records a run while the disk is locked or full for a while, and says what was lost.

python recorder.py TRACE locked|full|none SECONDS SECONDS_AROUND RESULT.json
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from paramedic.trace import Trace, Writer
from paramedic.types import Epoch, Event, Frame

_PAUSE = 0.001  # seconds that a step takes besides
_ROW = np.zeros(50, np.float32)


@dataclass
class Phase:
    """The steps of a while, and how long the longest of them was held up by the recording."""

    steps: list[int] = field(default_factory=list)
    longest: float = 0.0


def main(trace: Path, hiccup: str, seconds: float, around: float) -> dict[str, object]:
    """Before, during and after the hiccup."""
    writer = Writer(trace)
    phases = {name: Phase() for name in ("before", "during", "after")}
    _work(writer, phases["before"], 0, around)
    with {"locked": _locked, "full": _full}.get(hiccup, contextlib.nullcontext)(trace):
        _work(writer, phases["during"], len(phases["before"].steps), seconds)
        noted = writer.failure
    last = phases["during"].steps[-1] + 1
    _work(writer, phases["after"], last, around)
    writer.close()
    with Trace.open(trace) as opened:
        frames, beats = set(opened.steps.tolist()), set(opened.pulse().step.tolist())
    told = {
        name: {
            "steps": len(one.steps),
            "frames_lost": len(set(one.steps) - frames),
            "losses_lost": len(set(one.steps) - beats),
            "longest_ms": round(1000 * one.longest, 2),
        }
        for name, one in phases.items()
    }
    return {**told, "noted": noted or "", "failure": writer.failure or ""}


def _work(writer: Writer, phase: Phase, first: int, seconds: float) -> None:
    """Records as a training does: a frame and a loss at every step, now and then an event, and
    an epoch, which the recording may wait for."""
    end, step = time.monotonic() + seconds, first
    while time.monotonic() < end:
        begin = time.perf_counter()
        writer.pulse(step, 1.0, True, False)
        writer.frame(Frame(step, "full", {"loss": 1.0}, {"grad_norm": _ROW}))
        if step % 50 == 0:
            writer.event(Event(step, "kind", "message"))
        if step % 200 == 0:
            writer.epoch(Epoch(step // 200, step, {"val_loss": 1.0}))
        phase.longest = max(phase.longest, time.perf_counter() - begin)
        phase.steps.append(step)
        step += 1
        time.sleep(_PAUSE)


@contextlib.contextmanager
def _locked(trace: Path) -> Iterator[None]:
    """Somebody else writes to the file."""
    with contextlib.closing(sqlite3.connect(trace, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextlib.contextmanager
def _full(trace: Path) -> Iterator[None]:
    """A file beside it takes all the room there is."""
    filler = trace.with_name("filler")
    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
        while True:
            if file.write(bytes(4096)) < 4096:
                break
    yield
    filler.unlink()


if __name__ == "__main__":
    found = main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
    Path(sys.argv[5]).write_text(json.dumps(found), encoding="utf-8")
