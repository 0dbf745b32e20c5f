"""Traces to look at: written here, or by a process that goes on writing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from paramedic.trace import Writer
from paramedic.types import Chart, Epoch, Event, Frame, Layer

LAYERS = ("stem", "body", "head")
# The words of whoever watched, which pages repeat and do not check.
REASON = "the loss is no lower than at first after 50 steps"
HOSTILE = '</script><script>document.title="owned"</script><img src=x onerror=alert(1)>"\'&\x07'


def chart(names: tuple[str, ...] = LAYERS) -> Chart:
    layers = (Layer(name, "Linear", 10, order=place) for place, name in enumerate(names))
    return Chart(layers=tuple(layers), loss="MSELoss")


def append(writer: Writer, start: int, stop: int, width: int = len(LAYERS)) -> None:
    """Steps of a loss that falls; every fifth is looked at."""
    for step in range(start, stop):
        loss = 2.0 * 0.999**step
        writer.pulse(step, loss, True, False)
        if step % 5 == 0:
            values = {"loss": loss, "grad_norm": loss, "lr/0": 0.1}
            rows = {"grad_norm": np.full(width, loss, np.float32)}
            writer.frame(Frame(step, "full", values, rows))
    writer.flush()


def finding(
    slug: str = "vanishing-gradient", message: str = "It does not learn."
) -> dict[str, object]:
    return {
        "code": "G001", "slug": slug, "severity": "critical", "confidence": 0.9,
        "message": message, "step": 20, "where": ["stem"],
        "evidence": {"ratio": 1e-8, "threshold": 1e-3}, "explains": [],
    }  # fmt: skip


def note(writer: Writer, *, ended: bool, message: str = "It does not learn.") -> None:
    """What a monitor writes when it has found something."""
    found = finding(message=message)
    told = {
        "diagnosis": {
            "health": "critical", "root": found, "others": [], "consequences": [],
            "set_aside": [], "not_checked": {},
        },
        "assessment": {"verdict": "not learning", "reason": REASON, "numbers": {"steps": 50.0}},
        "cases": [{**found, "opened": 25, "seen": 30, "closed": None}],
        "remedies": [],
        "spent": {"seconds": 0.1, "share": 0.01},
    }  # fmt: skip
    brief = {
        "step": 30, "verdict": "not learning", "fault": False, "trend": "the loss is level",
        "root": "vanishing-gradient", "ended": ended,
    }  # fmt: skip
    if ended:
        for key, value in told.items():
            writer.meta(key, value)
    writer.meta("standing", brief if ended else {**brief, **told})


def recorded(path: Path, steps: int = 100, *, ended: bool = True) -> Path:
    """A whole trace of a run that does not learn."""
    writer = Writer(path)
    writer.chart(chart())
    append(writer, 0, steps)
    note(writer, ended=ended)
    writer.close()
    return path


def hostile(path: Path) -> Path:
    """A trace of a stranger who wants to run a script in the reader's browser."""
    writer = Writer(path)
    writer.chart(chart((HOSTILE, "x" * 10_000, "\u202e\x00\x1b[31mred")))
    append(writer, 0, 50)
    writer.epoch(Epoch(0, 20, {HOSTILE: 0.5, "val_loss": 0.3}))
    writer.event(Event(20, "intervention", HOSTILE, {"action": HOSTILE}))
    note(writer, ended=True, message=HOSTILE)
    writer.close()
    return path


# Appends 20 steps at a time; tells on stdout how far it has come.
_ENDLESS = """
import sys, time
from paramedic.trace import Writer
from tests.report.live.traces import append, chart
writer = Writer(sys.argv[1])
writer.chart(chart())
for start in range(0, 1_000_000, 20):
    append(writer, start, start + 20)
    print(start + 19, flush=True)
    time.sleep(0.05)
"""


def writing(path: Path) -> subprocess.Popen[str]:
    """A process that writes a trace until it is killed."""
    root = Path(__file__).parents[3]
    return subprocess.Popen(
        [sys.executable, "-c", _ENDLESS, str(path)],
        cwd=root,
        env={"PYTHONPATH": f"{root / 'src'}:{root}"},
        stdout=subprocess.PIPE,
        text=True,
    )
