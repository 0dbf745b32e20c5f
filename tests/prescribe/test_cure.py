"""What every cure must keep to."""

from __future__ import annotations

import ast
import dataclasses
import json
import math

import pytest

from paramedic.diagnose.rules import rules
from paramedic.prescribe.cure import ACTIONS, Cure, Family, listed, rounded, short
from paramedic.prescribe.cures import cures
from paramedic.types import Safety
from tests.diagnose.windows import window
from tests.prescribe.cases import ADAM, SGD, finding, net

CURES = cures()
PROBLEMS = {kind.slug for kind in rules()}


@pytest.fixture(params=CURES, ids=lambda cure: cure.slug)
def cure(request: pytest.FixtureRequest) -> Cure:
    found: Cure = request.param
    return found


def test_it_is_frozen_and_has_a_manual(cure: Cure) -> None:
    assert dataclasses.is_dataclass(cure)
    assert type(cure).__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert type(cure).__doc__
    assert cure.family in Family
    assert cure.safety in Safety


def test_it_treats_problems_that_exist(cure: Cure) -> None:
    assert set(cure.against) <= PROBLEMS
    with pytest.raises(TypeError):
        cure.against["anything"] = None  # type: ignore[index]


def test_its_priors_are_shares_with_a_source(cure: Cure) -> None:
    for prior in cure.against.values():
        assert 0 <= prior.mean <= 1
        assert 0 < prior.worth <= 10
        assert prior.source


@pytest.mark.parametrize("optimizer", [SGD, ADAM], ids=["sgd", "adam"])
def test_its_doses_can_be_carried_out_and_told(cure: Cure, optimizer: dict[str, object]) -> None:
    seen = window(
        20,
        chart=net("ReLU", "Sigmoid", optimizers=(optimizer,), loss="mse"),
        scalars={"grad_norm": 1.0, "lr/0": 0.1, "input_mean": 50.0, "input_std": 50.0},
        losses=[1.0] * 20,
    )
    for problem in cure.against:
        given = cure.dose(finding(problem), seen)
        if given is None:
            continue
        remedy = cure.filled(given, problem, 0.5, "a test")
        assert given.title
        assert given.code
        ast.parse(given.code)
        assert "→" not in given.code.partition("#")[0]
        if given.action:
            assert set(given.args) == ACTIONS[given.action]
        assert type(remedy).from_json(json.loads(json.dumps(remedy.to_json()))) == remedy


@pytest.mark.parametrize("value", [0.0, math.nan, math.inf, 1e30])
def test_it_bears_any_numbers(cure: Cure, value: float) -> None:
    scalars = dict.fromkeys(
        ("grad_norm", "lr/0", "input_mean", "input_std", "input_min", "input_max", "target_std",
         "target_constant", "batch_size", "scale", "target_min", "target_max"), value
    )  # fmt: skip
    seen = window(
        12,
        chart=net("ReLU", "Tanh", optimizers=(SGD,), loss="mse"),
        scalars=scalars,
        layers={"update_ratio": [value] * 5, "weight_norm": [value] * 5},
        losses=[value] * 12,
    )
    for problem in cure.against:
        given = cure.dose(finding(problem), seen)
        numbers = [one for one in given.args.values() if isinstance(one, float)] if given else []
        assert all(math.isfinite(one) for one in numbers)


def test_slugs_are_unique() -> None:
    slugs = [one.slug for one in CURES]
    assert len(set(slugs)) == len(slugs)


def test_numbers_are_short() -> None:
    assert short(0.0012345) == "0.00123"
    assert rounded(0.0012345) == 0.0012


def test_many_layers_are_counted() -> None:
    assert listed(("a", "b")) == "`a`, `b`"
    assert listed(("a", "b", "c", "d", "e")) == "`a`, `b`, `c` and 2 more"
