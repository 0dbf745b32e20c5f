from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from rich.console import Console

from paramedic.report.terminal import measured, sparkline
from paramedic.trace import Trace, Writer
from paramedic.types import Chart, Event, Frame, Layer


def _show(path: Path) -> str:
    console = Console(file=io.StringIO(), width=120)
    with Trace.open(path) as trace:
        console.print(measured(trace))
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_sparkline_goes_with_the_values() -> None:
    line = sparkline(np.linspace(1, 0, 400), width=8)
    assert line == "█▇▆▅▄▃▂▁"
    assert sparkline(np.ones(3)) == "▁▁▁"


def test_sentences_and_a_row_per_layer(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "run.db")
    writer.chart(Chart(layers=(Layer("[red]first", "Linear"), Layer("last", "Linear"))))
    for step in range(3):
        writer.pulse(step, 3.0 - step, True, False)
        norms = np.array([1e-9, 1e-1], np.float32)
        writer.frame(Frame(step, "full", {"loss": 3.0 - step}, {"grad_norm": norms}))
    writer.event(Event(2, "non-finite", "Step 2: non-finite, somewhere."))
    writer.meta("spent", {"share": 0.012})
    writer.close()
    shown = _show(tmp_path / "run.db")
    assert "3 optimizer steps, 3 of them looked at." in shown
    assert "Loss 3 at first, 1 at last" in shown
    assert "is 1.0e-08 times that of `last`" in shown
    assert "Step 2: non-finite, somewhere." in shown
    assert "Watching cost 1.2 % of the time of the training, for 3 looks." in shown
    assert "[red]first" in shown  # names are text, not markup


def test_an_empty_trace(tmp_path: Path) -> None:
    Writer(tmp_path / "run.db").close()
    assert "0 optimizer steps" in _show(tmp_path / "run.db")
