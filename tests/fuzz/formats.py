"""The formats that are read from strangers: a sound file of each, and what reads it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from paramedic.diagnose.config import load as load_config
from paramedic.hpo.recording import Goal, StudyFolder
from paramedic.report.view.heal import read_heal
from paramedic.trace import Trace, Writer
from paramedic.treat import checkpoint
from paramedic.treat.heal.attempt import Attempt, Leg
from paramedic.treat.training import Point
from paramedic.types import Chart, Epoch, Event, Finding, Frame, Layer, Severity
from tests.report.view.test_heal import OUTCOME


@dataclass(frozen=True)
class Format:
    """`write` puts a sound file into a folder; `read` reads what is at its place."""

    name: str
    file: str
    write: Callable[[Path], None]
    read: Callable[[Path], object]


def _write_trace(path: Path) -> None:
    writer = Writer(path)
    writer.chart(Chart(layers=tuple(Layer(f"layer{n}", "Linear", 12, order=n) for n in range(3))))
    for step in range(70):
        names = ("grad_norm", "act_mean") if step % 9 == 0 else ("grad_norm",)
        rows = {name: np.full(3, step, np.float32) for name in names}
        values = {"loss": math.nan if step == 50 else step / 7, "loss_finite": float(step != 50)}
        writer.frame(Frame(step, "full" if step % 9 == 0 else "vitals", values, rows))
        writer.pulse(step, values["loss"], step != 50, False)
    writer.epoch(Epoch(0, 59, {"val_loss": 1.0}))
    writer.event(Event(3, "k", "m", {"where": ["a"]}))
    writer.close()


def _read_trace(path: Path) -> None:
    with Trace.open(path) as trace:
        _ = (len(trace), trace.steps, trace.last_step, trace.layouts, trace.meta("chart"))
        _ = (trace.chart, trace.first_chart, trace.epochs, trace.events, trace.pulse())
        trace.window()
        for _ in trace.frames():
            pass


_TOML = """
[tool.paramedic]
rules = "default"
select = ["G001", "D001"]
ignore = []
[tool.paramedic.G001]
ratio = 1e-4
[project]
name = "x"
dependencies = ["numpy>=1", 'torch']
dates = [2024-01-01, 07:32:00]
inline = { a.b = 1, c = [true, false, 0x1F, inf] }
"""
_OWN = """
rules = "default"
select = ["G001", "D001"]
ignore = []
[G001]
ratio = 1e-4
"""


def _write_trial(path: Path) -> None:
    study = StudyFolder(path.parent)
    study.create(Goal("loss", "minimize", 3))
    study.add(0, [1.0, math.nan, 0.5], [1.0, 2.0, 3.0], {"lr": 0.1, "act": "relu"})


def _read_study(path: Path) -> None:
    study = StudyFolder(path.parent)
    _ = study.goal
    list(study.trials())


def _text(text: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    return write


def _save(path: Path) -> None:
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": (1, None)}
    checkpoint.save(path, state)


def _record() -> str:
    point = Point(3, 0.5, 0.7, 0.8, 0.25)
    found = Finding("G001", "vanishing-gradient", Severity.WARNING, 0.9, "m", 3, ("a",), {"x": 1.0})
    leg = Leg(10, 3, True, point, 0.5, (found,), "")
    return json.dumps({"legs": [leg.to_json()], "points": [point.to_json()]})


FORMATS = (
    Format("trace", "run.db", _write_trace, _read_trace),
    Format("toml", "pyproject.toml", _text(_TOML), lambda path: load_config(path.parent)),
    Format("settings", "paramedic.toml", _text(_OWN), lambda path: load_config(path.parent)),
    Format("outcome", "outcome.json", _text(json.dumps(OUTCOME)),
           lambda path: read_heal(path.parent)),
    Format("trial", "trial-0000.json", _write_trial, _read_study),
    Format("study", "study.json", _write_trial, _read_study),
    Format("record", "record.json", _text(_record()),
           lambda path: Attempt(0, None, folder=path.parent)),  # type: ignore[arg-type]
    Format("checkpoint", "checkpoint.safetensors", _save, checkpoint.load),
)  # fmt: skip
