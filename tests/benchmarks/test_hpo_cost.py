"""What watching costs in a study: the same trial both ways, and the numbers made of it."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("optuna")

from benchmarks.hpo_parts import cost, page  # noqa: E402
from benchmarks.hpo_parts.cost_trial import OTHERS, run_stretches, study_of  # noqa: E402
from benchmarks.hpo_parts.data import Split  # noqa: E402
from benchmarks.hpo_parts.tasks import EPOCHS, Task  # noqa: E402
from paramedic.hpo.archive import others  # noqa: E402

PARAMS = {"batch_size": 8, "optimizer": "sgd", "rate": 0.01, "weight_decay": 0.0}


def split() -> Split:
    x = torch.randn(16, 3, generator=torch.Generator().manual_seed(0))
    return Split(x, x.sum(1, keepdim=True), x, x.sum(1, keepdim=True))


TINY = Task("tiny", "Tiny", "val_loss", "minimize", {}, lambda params: torch.nn.Linear(3, 1), split)


@pytest.mark.parametrize("watched", [True, False])
def test_a_trial_is_timed_from_its_beginning_to_its_end(watched: bool) -> None:
    seconds = run_stretches(TINY, PARAMS, watched)
    assert len(seconds) == EPOCHS + 2
    assert min(seconds) >= 0.0


@pytest.mark.parametrize("watched", [True, False])
def test_the_study_has_trials_to_compare_with(watched: bool) -> None:
    found = others(study_of(TINY, watched), number=-1)
    assert [len(one) for one in (found.values, *found.losses)] == [OTHERS] * 3


def _measured(*pairs: tuple[float, float]) -> dict[str, Any]:
    trials = [{"with": one, "without": two} for one, two in pairs]
    sums = {name: sum(one[name] for one in trials) for name in ("with", "without")}
    return {"cnn": {"repeats": 3, "trials": trials, **sums}}


def test_what_all_trials_took_more() -> None:
    measured = _measured((1.03, 1.0), (3.03, 3.0))
    assert cost.more(measured) == pytest.approx(0.015)


def test_the_uncertainty_is_that_of_the_trials() -> None:
    assert cost.uncertainty(_measured((1.02, 1.0), (3.06, 3.0))) == pytest.approx(0.0)
    assert cost.uncertainty(_measured((1.0, 1.0), (1.02, 1.0))) == pytest.approx(0.01)


def test_the_page_tells_it() -> None:
    told = page._cost(_measured((1.0, 1.0), (1.04, 1.0)))
    assert "2.0 % more processor time" in told
    assert "standard error is 2.0 points" in told
    assert "2 trials" in told
