"""The benchmark of ended trials: what it is judged on, and what its page says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("optuna")

from benchmarks.hpo_parts import page
from benchmarks.hpo_parts.recording import JUDGING, TUNING, Part
from benchmarks.hpo_parts.space import draw
from benchmarks.hpo_parts.tasks import TASKS


def results(rival: dict[str, float] | None = None, **ours: float) -> dict[str, Any]:
    reports = {"ours": report(ours)} | ({} if rival is None else {"rival": report(rival)})
    return {"tasks": {name: {"reports": reports} for name in TASKS}}


def report(known: dict[str, float]) -> dict[str, Any]:
    measures = dict.fromkeys(page.MEASURES, 0.0) | known
    return {"measures": {name: {"mean": value} for name, value in measures.items()}}


def test_tuning_and_judging_share_no_trial(tmp_path: Path) -> None:
    judged = _drawn(JUDGING)
    for part in TUNING:
        assert part.study(tmp_path, "cnn").path != JUDGING.study(tmp_path, "cnn").path
        assert not _drawn(part) & judged
        assert abs(part.seed - JUDGING.seed) > 1000  # nor do nets begin with the same weights


def _drawn(part: Part) -> set[str]:
    return {str(draw(TASKS["cnn"].space, part.seed, 0, number)) for number in range(100)}


@pytest.mark.parametrize(
    ("lost", "cut", "reached"), [(0.01, 0.0, True), (0.008, 0.008, False), (0.0, 0.02, False)]
)
def test_a_good_trial_that_is_finished_too_early_is_lost(
    lost: float, cut: float, reached: bool
) -> None:
    goals = page._goals(results(lost=lost, cut=cut, time_saved=0.5, top_ten=0.5))
    row = next(line for line in goals.splitlines() if "finished too early" in line)
    assert ("reached" in row) is reached
    assert f"{100 * (lost + cut):.2f} %" in row


@pytest.mark.parametrize(
    ("rival", "told"),
    [
        ({"time_saved": 0.5, "top_ten": 0.7}, "No other rule has a better"),
        ({"time_saved": 0.6, "cut": 0.2}, "rival (60.0 % and 0.0 %, 20.0 % lost); none of them"),
        ({"top_ten": 0.8, "lost": 0.01}, "rival (0.0 % and 80.0 %, 1.0 % lost); rival of them"),
    ],
)
def test_rules_that_do_better_are_named_with_what_they_lose(
    rival: dict[str, float], told: str
) -> None:
    assert told in page._rivals(results(rival, time_saved=0.5, top_ten=0.75, cut=0.01))
