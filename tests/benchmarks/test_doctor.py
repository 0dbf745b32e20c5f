from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))

from doctor_parts import counting, goals
from doctor_parts.cache import Cache
from doctor_parts.plan import EXPLODING, VANISHING, tasks

import benchmarks.doctor as doctor


def test_one_run_of_each_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="the extra `bench` is not installed")
    arguments = ["--quick", "--out", str(tmp_path / "out"), "--cache", str(tmp_path / "runs")]
    assert doctor.main(arguments) == 0
    results = json.loads((tmp_path / "out/doctor.json").read_text())
    verdicts = {one.goal: one for one in goals.verdicts(results)}
    assert len(results["rows"]) == results["planned"] == len(tasks(quick=True))
    assert verdicts['losses and weights the same, bit for bit, with `treat="off"`'].verdict == "met"
    assert verdicts["explosions found within 3 steps"].seen == "1 of 1"
    assert verdicts["vanishings found within 3 steps"].seen == "1 of 1"
    assert verdicts["uninjected runs without a warning"].seen == "1 of 1"
    page = (tmp_path / "out/doctor.md").read_text()
    assert page.startswith("# The Training Doctor's protocol")
    assert "![How soon injected gradients are found](doctor.delays.png)" in page
    capsys.readouterr()
    doctor.main([*arguments, "--render"])
    assert "quick" not in capsys.readouterr().out, "nothing is measured twice"
    assert json.loads((tmp_path / "out/doctor.json").read_text())["rows"] == results["rows"]


def test_missing_texts_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PARAMEDIC_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="tinyshakespeare, enwik8, wikitext2, gutenberg"):
        doctor.main(["--out", str(tmp_path), "--cache", str(tmp_path)])


def test_every_task_is_another_one() -> None:
    keys = [json.dumps(task.to_json(), sort_keys=True) for task in tasks()]
    assert len(set(keys)) == len(keys)
    assert sum(task.part == "rescue" for task in tasks()) >= goals.RESCUES


def test_the_cache_measures_once(tmp_path: Path) -> None:
    cache, calls = Cache(tmp_path), []

    def measure() -> dict[str, Any]:
        calls.append(1)
        return {"loss": None}

    assert not cache.knows({"a": 1})
    assert cache.get({"a": 1}, measure) == cache.get({"a": 1}, measure) == {"loss": None}
    assert cache.knows({"a": 1})
    assert not cache.knows({"a": 1}, watched=False)
    assert len(calls) == 1


def _dual(problems: list[str], interventions: list[list[Any]], treated: float | None) -> Any:
    shots = [{"fault": EXPLODING}, {"fault": VANISHING}]
    return {
        "task": {"shots": shots, "labels": {}, "mode": "every step"},
        "emergencies": [{"step": 3, "problems": problems, "best": None}],
        "interventions": interventions,
        "treated": treated,
        "clean": 1.0,
    }


def test_one_event_has_both() -> None:
    assert counting.is_one_event(_dual([VANISHING, EXPLODING], [], 1.0))
    assert counting.is_one_event(_dual(["loss-plateau", "loss-explosion"], [], 1.0))
    assert not counting.is_one_event(_dual([EXPLODING, "gradient-instability"], [], 1.0))
    assert not counting.is_one_event(_dual([VANISHING], [], 1.0))


CLIP = [5, "clip-gradients", "gradient-spike", "applied"]
BACK = [9, "roll-back", "loss-explosion", "applied"]


@pytest.mark.parametrize(
    ("interventions", "treated", "expected"),
    [
        ([], 1.0, True),
        ([CLIP, [6, *CLIP[1:]]], 1.01, True),
        ([BACK, [9, "scale-rate", "loss-explosion", "applied"]], 1.02, True),
        ([CLIP, BACK], 1.0, False),
        ([CLIP, [*BACK[:3], "declined"]], 1.0, True),
        ([CLIP], 1.03, False),
        ([CLIP], None, False),
    ],
)
def test_the_first_intervention_was_enough(
    interventions: list[list[Any]], treated: float | None, expected: bool
) -> None:
    assert counting.is_resolved(_dual([], interventions, treated)) is expected


def test_what_is_said_of_a_run_that_is_over_is_no_warning() -> None:
    late = [[99, "slow-convergence"]]
    row = _alarm(warnings=late, found=late)
    assert counting.is_silent(row)
    assert counting.found_at_the_end(row) == ["slow-convergence"]
    assert not counting.findings(row)
    row = _alarm(warnings=[[40, EXPLODING]], found=[[40, EXPLODING]])
    assert not counting.is_silent(row)
    assert counting.warnings(row) == [EXPLODING]


def test_what_is_found_in_a_run_that_learns_is_no_warning_but_is_counted() -> None:
    row = _alarm(warnings=[], found=[[40, EXPLODING]])
    assert counting.is_silent(row)
    results = {"rows": [row], "planned": 1}
    seen = {one.goal: one.seen for one in goals.verdicts(results)}
    assert seen["uninjected runs without a warning"] == "1 of 1"
    assert seen["uninjected runs in which nothing is found"] == "0 of 1"


def test_a_verdict_that_a_sound_run_fails_is_a_warning() -> None:
    assert not counting.is_silent(_alarm(warnings=[], found=[], verdict="not learning"))
    assert counting.is_silent(_alarm(warnings=[], found=[], verdict="too early to say"))


def _alarm(verdict: str = "learning", **lists: list[list[Any]]) -> dict[str, Any]:
    task = {"part": "alarm", "patient": {"steps": 100}, "mode": "every step", "labels": {}}
    return {"task": task, "verdict": verdict, **lists}
