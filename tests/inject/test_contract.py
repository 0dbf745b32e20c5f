"""What holds for every fault."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import pytest
import torch

import paramedic
from paramedic.inject.discovery import faults

from .patients import ONE_STEP, Run, data, first_difference, momentum, net, traces, train

STEPS, AT = 12, 5
SLUGS = [kind.slug for kind in faults()]


@pytest.fixture(scope="module")
def healthy() -> Run:
    return train(STEPS)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_run_is_the_same_to_the_last_bit_until_the_onset(slug: str, healthy: Run) -> None:
    sick = train(STEPS, slug, at=AT)
    assert first_difference(healthy.losses[:AT], sick.losses[:AT]) == math.inf
    assert first_difference(healthy.gradients[:AT], sick.gradients[:AT]) == math.inf
    assert first_difference(healthy.weights, sick.weights) in _first_steps(slug)


def _first_steps(slug: str) -> tuple[int, ...]:
    # A bias is pushed when the step before is over, in time for all that looks at the coming one.
    return (AT - 1,) if slug == "dying-relu" else (AT,)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_users_random_numbers_are_left_alone(slug: str, healthy: Run) -> None:
    sick = train(STEPS, slug, at=AT)
    assert first_difference(healthy.random, sick.random) == math.inf


@pytest.mark.parametrize("slug", SLUGS)
def test_the_same_again(slug: str) -> None:
    one, other = train(STEPS, slug, at=AT), train(STEPS, slug, at=AT)
    assert repr(one.losses) == repr(other.losses)
    assert one.log == other.log


@pytest.mark.parametrize("slug", SLUGS)
def test_the_log_tells_when_it_acted(slug: str) -> None:
    run = train(STEPS, slug, at=AT)
    ((step, what),) = run.log
    assert step == AT
    assert what.startswith(f"{slug}: ")


@pytest.mark.parametrize("slug", SLUGS)
def test_it_comes_back_as_often_as_asked(slug: str) -> None:
    run = train(STEPS, slug, at=2, every=3, times=3, duration=1)
    assert [step for step, _ in run.log] == [2, 5, 8]


@pytest.mark.parametrize("slug", SLUGS)
def test_it_lasts_a_step_or_to_the_end(slug: str) -> None:
    kind = next(kind for kind in faults() if kind.slug == slug)
    assert kind.lasting == (slug not in ONE_STEP)


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("watch", ["", "before", "after"])
def test_nothing_is_left_behind(slug: str, watch: str) -> None:
    model = net()
    optimizer = momentum(model)
    before = traces(model, optimizer)
    train(STEPS, slug, model=model, make=lambda _: optimizer, at=3, watch=watch)
    assert traces(model, optimizer) == before
    assert optimizer.param_groups[0]["lr"] == 0.05
    assert optimizer.zero_grad.__self__ is optimizer
    copy.deepcopy(model)
    pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("slug", SLUGS)
def test_nothing_is_left_after_an_occasion_either(slug: str) -> None:
    model = net()
    optimizer = momentum(model)
    with paramedic.inject(model, optimizer, slug, at=10) as injection:
        before = traces(model, optimizer)
    with paramedic.inject(model, optimizer, slug, at=1, duration=2) as injection:
        for step in range(6):
            _step(model, optimizer, injection)
            assert (traces(model, optimizer) == before) == _is_over(slug, step)


def _is_over(slug: str, step: int) -> bool:
    """Whether nothing but the counting is there once this step is done."""
    elsewhere = {"learning-rate-too-high", "learning-rate-too-low", "untrained-parameters",
                 "uninformative-labels", "dying-relu"}  # fmt: skip
    return step not in (0, 1) or slug in elsewhere


def _step(model: Any, optimizer: Any, injection: Any) -> None:
    x, y = data(SAMPLES)
    optimizer.zero_grad()
    x, y = injection.batch(x, y)
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()


SAMPLES = 16


@pytest.mark.parametrize("slug", SLUGS)
def test_a_sick_model_can_be_copied_and_pickled(slug: str) -> None:
    model = net()
    optimizer = momentum(model)
    with paramedic.inject(model, optimizer, slug, at=0) as injection:
        _step(model, optimizer, injection)
        twin = copy.deepcopy(model)
        stored = pickle.loads(pickle.dumps(model))
    _step(model, optimizer, injection)
    for other in (twin, stored):
        _is_well(other)


def _is_well(model: Any) -> None:
    """Its passes are those of a model with the same weights that was never touched."""
    fresh = net()
    fresh.load_state_dict(model.state_dict())
    x, _ = data(SAMPLES)
    assert repr(model(x)) == repr(fresh(x))
    model(x).sum().backward()
    model.zero_grad()
    assert all(parameter.grad is None for parameter in model.parameters())
