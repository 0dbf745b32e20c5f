"""Real runs, judged: every sickness is found by its name, and no healthy run is called sick."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from paramedic.diagnose.replay import Replay, replay
from paramedic.diagnose.rules import rules
from paramedic.types import Severity

BANK = Path(__file__).parents[1] / "bank"
RUNS: list[dict[str, Any]] = json.loads((BANK / "manifest.json").read_text())["runs"]
SICK = [run for run in RUNS if run["slug"]]
HEALTHY = [run for run in RUNS if not run["slug"]]


@contextmanager
def unpacked(file: str) -> Iterator[Path]:
    """The trace of a run of the bank."""
    with TemporaryDirectory() as folder:
        trace = Path(folder) / "run.db"
        trace.write_bytes(lzma.decompress((BANK / file).read_bytes()))
        yield trace


@cache
def judged(file: str) -> Replay:
    """What is said of a run of the bank."""
    with unpacked(file) as trace:
        return replay(trace)


def _named(runs: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(run, id=run["name"]) for run in runs]


@pytest.mark.parametrize("run", _named(SICK))
def test_the_root_of_a_sick_run_has_the_right_name(run: dict[str, Any]) -> None:
    root = judged(run["file"]).diagnosis.root
    assert root is not None, "nothing was found"
    assert root.slug in (run["slug"], *run["accepted"]), root.message


@pytest.mark.parametrize("run", _named(HEALTHY))
def test_a_healthy_run_is_not_called_sick(run: dict[str, Any]) -> None:
    alarms = [one for one in judged(run["file"]).findings if one.severity is not Severity.INFO]
    assert alarms == []


@pytest.mark.parametrize("slug", [kind.slug for kind in rules()])
def test_every_detector_wakes_on_a_run_of_its_own(slug: str) -> None:
    own = [run for run in SICK if run["slug"] == slug]
    assert own, "the bank has no such run"
    woken = [run for run in own if slug in _told(judged(run["file"]))]
    assert woken, {run["name"]: _told(judged(run["file"])) for run in own}


def _told(verdict: Replay) -> set[str]:
    return {case.finding.slug for case in verdict.cases}


def test_no_detector_fails_on_a_real_run() -> None:
    failures = {
        (run["name"], slug): why
        for run in RUNS
        for slug, why in judged(run["file"]).diagnosis.not_checked.items()
        if why.startswith("switched off")
    }
    assert failures == {}


def test_the_bank_is_complete_and_small() -> None:
    files = {path.name: path.stat().st_size for path in BANK.glob("*.xz")}
    assert set(files) == {run["file"] for run in RUNS}, "run tests/bank/make.py"
    assert len(HEALTHY) >= 15
    assert sum(files.values()) < 650_000
