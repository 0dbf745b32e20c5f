"""Live studies with and without diagnosis: whose trials count, and what is made of them."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("optuna")

import torch
from optuna.samplers import RandomSampler

from benchmarks.hpo_parts import live, page
from benchmarks.hpo_parts.data import Split
from benchmarks.hpo_parts.live_scores import score, summarize
from benchmarks.hpo_parts.live_study import Stopwatch, run
from benchmarks.hpo_parts.space import OneOf
from benchmarks.hpo_parts.tasks import EPOCHS, TASKS, Task

pytestmark = pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel")
TICKS = EPOCHS + 1  # of a whole trial: one look at the stopwatch per epoch, and one at its end


def few_images() -> Split:
    random = torch.Generator().manual_seed(1)
    x, y = torch.randn(32, 3, 16, 16, generator=random), torch.arange(32) % 10
    return Split(x, y, x, y)


def small(**space: OneOf) -> Task:
    task = TASKS["cnn"]
    return replace(task, load=few_images, space={**task.space, **space})


def study(budget: float, *, watched: bool, **space: OneOf) -> list[dict[str, Any]]:
    """The trials of a study on a clock that ticks whenever it is looked at."""
    torch.set_num_threads(1)
    ticks = itertools.count()
    stopwatch = Stopwatch(budget, lambda: float(next(ticks)))
    told = run(small(**space), RandomSampler(seed=3), 3, stopwatch, watched=watched)
    trials: list[dict[str, Any]] = json.loads(json.dumps(told))["trials"]
    return trials


def test_a_trial_that_is_running_when_the_time_is_up_does_not_count() -> None:
    assert [one["end"] for one in study(2 * TICKS, watched=False)] == [TICKS, 2 * TICKS]
    assert len(study(2 * TICKS - 1, watched=False)) == 1
    assert study(TICKS - 1, watched=False) == []


def test_without_diagnosis_every_trial_has_a_value() -> None:
    (only,) = study(TICKS, watched=False, rate=OneOf((1e30,)))
    assert 0.0 <= only["accuracy"] <= 1.0
    assert only["how"] == ""


def test_with_diagnosis_a_sick_trial_ends_early_and_is_no_candidate() -> None:
    trials = study(TICKS, watched=True, rate=OneOf((1e30,)), optimizer=OneOf(("sgd",)))
    assert len(trials) > 1
    assert {one["accuracy"] for one in trials} == {None}
    assert {one["how"] for one in trials} == {"stop: non-finite"}


def told(*trials: tuple[float, float | None, str]) -> dict[str, Any]:
    rows = [dict(zip(("end", "accuracy", "how"), one, strict=True)) for one in trials]
    return {"trials": rows, "processor": 60.0}


def pair(sampler: str = "Random", seed: int = 1, best: float = 0.5) -> dict[str, Any]:
    """The study with stops its first trial; its third is as good as the best of the other."""
    return {
        "sampler": sampler, "seed": seed, "budget": 100.0,
        "with": told(
            (10.0, None, "stop: non-finite"), (20.0, 0.3, "finished: no-more-gain"),
            (40.0, best, ""), (90.0, 0.45, ""),
        ),
        "without": told((50.0, 0.2, ""), (80.0, 0.5, "")),
    }  # fmt: skip


def test_the_scores_of_a_pair() -> None:
    found = score(pair())
    assert (found["best_with"], found["best_without"]) == (0.5, 0.5)
    assert (found["trials_with"], found["trials_without"]) == (4, 2)
    assert (found["needed"], found["reached"]) == (80.0, 40.0)
    assert found["time_saved"] == 0.5
    assert found["top_ten"] == pytest.approx(3 / 5)  # of five trials that have a value


def test_a_best_value_that_is_not_reached_costs_all_that_can_be_lost() -> None:
    found = score(pair(best=0.49))
    assert (found["reached"], found["time_saved"]) == (None, -1.0)


def test_too_short_a_budget_is_an_error_and_no_result() -> None:
    without = {**pair(), "without": told()}
    with pytest.raises(ValueError, match="give more time"):
        score(without)


def test_means_over_seeds_are_of_each_sampler() -> None:
    found = summarize([pair(), pair(seed=2, best=0.4), pair("GP", best=0.7)])
    assert (found["budget"], found["seeds"]) == (100.0, 2)
    random, gp = found["samplers"]["Random"], found["samplers"]["GP"]
    assert random["best_with"] == pytest.approx((0.5 + 0.45) / 2)
    assert random["time_saved"] == pytest.approx((0.5 - 1.0) / 2)
    assert (random["reached"], random["reached_in"]) == (40.0, 1)
    assert random["ended"] == {"stop: non-finite": 2, "finished: no-more-gain": 2}
    assert gp["best_with"] == 0.7
    assert gp["all_trials_with"] == 4


def test_a_pair_that_is_done_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = []

    def stand_in(sampler: str, seed: int, budget: float) -> dict[str, Any]:
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append((sampler, seed, budget))
        return pair(sampler, seed)

    monkeypatch.setattr(live, "side_by_side", stand_in)
    with pytest.raises(KeyboardInterrupt):
        live.measure(tmp_path, 100.0, seeds=1)
    first, ran[:] = list(ran), []
    found = live.measure(tmp_path, 100.0, seeds=1)
    assert [name for name, _, _ in [*first, *ran]] == ["Random", "TPE", "GP", "SMAC"]
    assert found["samplers"].keys() == live.SAMPLERS.keys()
    with pytest.raises(KeyboardInterrupt):  # another budget is another study
        live.measure(tmp_path, 50.0, seeds=1)


def test_the_page_says_what_was_found_if_anything_was_measured() -> None:
    assert not list(page._live({}))
    found = summarize([pair(), pair(seed=2, best=0.4)])
    text = "\n".join(page._live({"live": {**found, "images": (1000, 800)}}))
    row = next(line for line in text.splitlines() if line.startswith("| Random"))
    cells = ["50.0 %", "47.5 %", "2", "4", "60 %", "-25 %", "80 s", "40 s (1 of 2)"]
    assert row == "| Random | " + " | ".join(cells) + " |"
    assert "* Random, of 8: stop: non-finite (2), finished: no-more-gain (2)." in text
