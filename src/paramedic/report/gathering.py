"""From files to a page: traces, folders of heals, recorded studies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from paramedic.diagnose.config import Config
from paramedic.prescribe.replay import replay
from paramedic.report.view.course import Course, read
from paramedic.report.view.heal import HealView, heal_view, read_heal
from paramedic.report.view.judgement import of_record, of_replay
from paramedic.report.view.maps import CELLS
from paramedic.report.view.page import PageView
from paramedic.report.view.run import WIDTH, RunView, run_view
from paramedic.report.view.study import StudyView, read_study
from paramedic.run.outcome import Outcome, Record, Verified
from paramedic.trace import Trace, TraceError
from paramedic.types import Pulse

_FULL = 2  # runs on a page that are drawn in full; more of them are drawn coarser
_COARSEST = 0.2


@dataclass(frozen=True, slots=True)
class Source:
    """Something to show: a trace, the folder of a heal or of a study."""

    path: Path
    kind: str  # `run`, `heal` or `study`


@dataclass(slots=True)
class _Found:
    runs: list[RunView] = field(default_factory=list)
    heals: list[HealView] = field(default_factory=list)
    studies: list[StudyView] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)


def sources(paths: Iterable[Path]) -> Iterator[Source]:
    """What the paths stand for; a directory of traces stands for all of them."""
    for path in paths:
        if not path.is_dir():
            yield Source(path, "run")
        elif (path / "study.json").is_file():
            yield Source(path, "study")
        elif (path / "outcome.json").is_file() or (path / "heal.json").is_file():
            yield Source(path, "heal")
        else:
            inside = sorted(path.glob("*.db"))
            if not inside:
                raise FileNotFoundError(
                    f"There is no trace (*.db), heal or study in the directory `{path}`."
                )
            yield from (Source(one, "run") for one in inside)


def page_of(paths: Iterable[Path], config: Config | None = None) -> PageView:
    """Everything that can be read on one page, and what is wrong with the rest."""
    config = config or Config()
    wanted, found = list(sources(paths)), _Found()
    detail = detail_for(sum(source.kind == "run" for source in wanted))
    for source in wanted:
        try:
            _add(source, found, config, detail)
        except (TraceError, OSError, ValueError) as error:
            found.errors[str(source.path)] = str(error)
    parts = tuple(found.heals), tuple(found.studies)
    return PageView(_title(wanted), tuple(found.runs), *parts, found.errors)


def detail_for(runs: int) -> float:
    """How finely each of so many runs is drawn, from 0 to 1, so that the page stays small."""
    return max(min(1.0, _FULL / max(runs, 1)), _COARSEST)


def view_of_trace(path: Path, config: Config, detail: float = 1.0) -> RunView:
    """A recorded run, judged by the rules of the configuration."""
    replayed = replay(
        path,
        config.rules,
        select=config.select,
        ignore=config.ignore,
        thresholds=config.thresholds,
    )
    judgement = of_replay(replayed)
    with Trace.open(path) as trace:
        course, spent = read(trace), trace.meta("spent")
    return run_view(path.name, course, judgement, spent=_table(spent), **_sizes(detail))


def page_of_program(outcome: Outcome) -> PageView:
    """What came of a program that was run under watch."""
    detail = detail_for(len(outcome.records))
    runs = tuple(_of_record(one, outcome.verified, detail) for one in outcome.records)
    return PageView(outcome.program, runs)


def page_of_heal(told: Mapping[str, Any], folder: Path, config: Config | None = None) -> PageView:
    """What a heal came to (`Outcome.to_json()`), with the untouched run and the one that was
    kept, as far as they were recorded in its folder."""
    heal = heal_view(told, folder.name)
    runs = _telling_runs(folder, heal, config or Config())
    return PageView(f"{folder.name}: {heal.status}", tuple(runs), (heal,))


def _telling_runs(folder: Path, heal: HealView, config: Config) -> list[RunView]:
    """Named after the folders of the attempts."""
    traces = _telling_traces(folder, heal)
    return [replace(view_of_trace(one, config), name=one.parent.name) for one in traces]


def _telling_traces(folder: Path, heal: HealView) -> list[Path]:
    """Looked for in the folder: what a file says of other places is not followed."""
    wanted = [one.number for one in heal.attempts if one.led or one.number == 0]
    numbers = dict.fromkeys([*wanted[:1], *wanted[-1:]])
    return [path for one in numbers for path in folder.glob(f"attempt-{one:02d}-*/trace.db")]


def _add(source: Source, found: _Found, config: Config, detail: float) -> None:
    if source.kind == "study":
        found.studies.append(read_study(source.path))
    elif source.kind == "heal":
        heal = read_heal(source.path)
        found.heals.append(heal)
        found.runs += _telling_runs(source.path, heal, config)
    else:
        found.runs.append(view_of_trace(source.path, config, detail))


def _of_record(record: Record, verified: Mapping[str, Verified], detail: float) -> RunView:
    judgement = of_record(record, verified)
    course = _course_of(record)
    return run_view(record.name, course, judgement, spent=record.spent, **_sizes(detail))


def _course_of(record: Record) -> Course:
    """From the trace; without one, of the losses that are remembered."""
    if record.trace is not None and record.trace.exists():
        with Trace.open(record.trace) as trace:
            return read(trace)
    loss = np.array(record.losses, np.float64)
    steps = np.arange(record.steps - len(loss), record.steps, dtype=np.int64)
    pulse = Pulse(steps, loss, np.isfinite(loss), np.zeros(len(loss), np.bool_))
    return Course(record.chart, pulse, np.empty(0, np.int64), epochs=record.epochs)


def _sizes(detail: float) -> dict[str, int]:
    return {"width": int(WIDTH * detail), "cells": int(CELLS * detail)}


def _table(value: Any) -> Mapping[str, Any]:
    """What a stranger's trace has in the place of a table may be anything."""
    return value if isinstance(value, dict) else {}


def _title(wanted: list[Source]) -> str:
    if len(wanted) == 1:
        return wanted[0].path.name
    counts = Counter(source.kind for source in wanted)
    plural = {"run": "runs", "heal": "heals", "study": "studies"}
    return ", ".join(
        f"{count} {kind if count == 1 else plural[kind]}" for kind, count in counts.items()
    )
