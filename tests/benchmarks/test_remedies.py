from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.remedies_parts.fitting import claims, dual, fit, single, write
from benchmarks.remedies_parts.ordering import best_of_each
from benchmarks.remedies_parts.page import first_of_each
from benchmarks.remedies_parts.success import Numbers, won_back
from benchmarks.remedies_parts.trial import Trial
from paramedic.prescribe.confidence import Outcome, Outcomes
from paramedic.prescribe.cures import cures
from paramedic.prescribe.ranking import Ranking
from paramedic.types import Remedy

SICK, SOUND, FRESH = Numbers(0.1, 2.3), Numbers(0.9, 0.3), Numbers(0.1, 2.4)


def _trial(remedy: str, worked: bool, part: str = "fit", run: str = "a", **values: Any) -> Trial:
    given = {
        "run": run, "seed": 0, "part": part, "roots": ("dying-relu",), "effects": (),
        "remedy": remedy, "code": "", "gone": worked, "all_gone": worked, "worked": worked,
        "sick": 0.1, "treated": 0.9, "sound": 0.9, **values,
    }  # fmt: skip
    return Trial(**given)


# -- success -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("treated", "expected"),
    [
        (Numbers(0.9, 0.3), True),
        (Numbers(0.31, 2.0), True),  # a quarter of the score
        (Numbers(0.2, 2.2), False),  # hardly any
        (Numbers(0.05, 0.3), False),  # worse by score
        (Numbers(math.nan, math.nan), False),
    ],
)
def test_a_quarter_of_what_was_lost_must_come_back(treated: Numbers, expected: bool) -> None:
    assert won_back(SICK, treated, SOUND, FRESH) is expected


def test_the_loss_counts_only_if_it_is_the_same() -> None:
    better = Numbers(0.12, 0.5)
    assert won_back(SICK, better, SOUND, FRESH)
    assert not won_back(SICK, better, SOUND, None)


def test_a_loss_worse_than_knowing_nothing_is_not_won_back_by_knowing_nothing() -> None:
    for loss in (math.nan, math.inf, 1e9):
        assert not won_back(Numbers(0.1, loss), Numbers(0.1, 2.3), SOUND, FRESH)


def test_where_nothing_was_lost_not_being_worse_is_enough() -> None:
    harmless = Numbers(0.89, 0.31)
    assert won_back(harmless, Numbers(0.88, 0.32), SOUND, FRESH)
    assert not won_back(harmless, Numbers(0.5, 1.0), SOUND, FRESH)


# -- fitting -------------------------------------------------------------------------------------


def test_only_the_fitting_part_is_counted() -> None:
    trials = [
        _trial("reinitialise", True),
        _trial("reinitialise", False),
        _trial("reinitialise", True, "held"),
        _trial("reinitialise", True, run="dual/b"),
    ]
    fitted = fit(trials, "2026-01-01", "make it")
    assert fitted.outcomes.outcomes == (Outcome("dying-relu", "reinitialise", 1, 2, "zoo"),)
    assert fitted.outcomes.provenance["command"] == "make it"
    assert len(single(trials, "held")) == len(dual(trials, "fit")) == 1


def test_claims_are_of_what_would_be_advised() -> None:
    trials = [_trial("add-normalisation", True, "held"), _trial("reinitialise", True, "held")]
    fitted = fit([], "", "")
    assert claims(trials, fitted) == [(pytest.approx(1 / 1.5), True)]
    assert len(claims(trials, fitted, least=0.0)) == 2


def test_the_first_of_each_run() -> None:
    trials = [_trial("reinitialise", True), _trial("add-normalisation", False)]
    (first,) = first_of_each(trials, fit([], "", ""))
    assert first.remedy == "add-normalisation"


def test_of_two_faults_the_ranking_learns() -> None:
    both = ("learning-rate-too-high", "gradient-instability")
    values = {"run": "dual/x", "roots": both}
    trials = [
        _trial(remedy, worked, seed=seed, **values)
        for seed in range(6)
        for remedy, worked in (("lower-rate", False), ("clip-gradients", True))
    ]
    before = best_of_each(trials[:2], fit([], "", ""))
    after = best_of_each(trials[:2], fit(trials, "", ""))
    assert before[0].remedy == "lower-rate"
    assert after[0].remedy == "clip-gradients"


def test_the_tables_can_be_read_again(tmp_path: Path) -> None:
    both = ("dying-relu", "loss-explosion")
    trials = [_trial("reinitialise", True), _trial("lower-rate", True, run="dual/x", roots=both)]
    fitted = fit(trials, "2026-01-01", "make it")
    write(fitted, tmp_path)
    outcomes = json.loads((tmp_path / "outcomes.json").read_text())
    ranking = json.loads((tmp_path / "ranking.json").read_text())
    assert Outcomes.from_json(outcomes) == fitted.outcomes
    assert Ranking.from_json(ranking) == fitted.ranking
    assert Trial.from_json(json.loads(json.dumps(trials[1].to_json()))) == trials[1]


# -- appliers ------------------------------------------------------------------------------------


@pytest.fixture
def zoo(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The zoo and the appliers, imported as the benchmark imports them."""
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    known = set(sys.modules)
    from remedies_parts import appliers
    from zoo import bases

    yield appliers, bases
    for name in set(sys.modules) - known:
        if name.split(".")[0] in ("remedies_parts", "zoo"):
            del sys.modules[name]


def test_every_cure_can_be_applied_or_needs_a_person_or_a_live_run(zoo: Any) -> None:
    appliers, _ = zoo
    assert {cure.slug for cure in cures()} - set(appliers.APPLIERS) == {
        "check-data", "roll-back", "stop", "lower-precision-scale",
    }  # fmt: skip


def test_remedies_change_the_plan_as_they_say(zoo: Any) -> None:
    appliers, bases = zoo
    from torch import nn

    plan = bases.FC_CIRCLES

    def treated(slug: str, **args: Any) -> Any:
        return appliers.apply(plan, Remedy(slug, "", 0.9, args=args))

    assert treated("clip-gradients", max_norm=2.0).clip == 2.0
    assert treated("zero-grad").zero_grad == "step"
    (optimizer,) = treated("lower-rate", factor=0.1).build(0).optimizers
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.03)
    layers = {"layers": ["1", "3"], "old": "ReLU", "new": "LeakyReLU"}
    model = treated("replace-activation", **layers).build(0).model
    assert [type(one) for one in model][1::2] == [nn.LeakyReLU, nn.LeakyReLU]
    normed = treated("add-normalisation", kind="BatchNorm1d", layers=["0"]).build(0).model
    assert isinstance(normed[1][0], nn.BatchNorm1d)
    assert normed[1][0].num_features == 32
    assert treated("check-data") is None
    assert treated("train-longer", times=2).epochs == 2 * plan.epochs
    split = treated("normalise-inputs", mean=0, spread=1).build(0).split
    assert split.inputs.mean().abs() < 1e-4
