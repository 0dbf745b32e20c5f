"""The one call: what it takes, and what it says to what it cannot take."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import paramedic
from paramedic.inject.fault import InjectionError
from paramedic.inject.injection import Injection

from .patients import momentum, net, traces


def test_it_is_a_public_name() -> None:
    model = net()
    with paramedic.inject(model, momentum(model), "gradient-explosion", at=500) as injection:
        assert isinstance(injection, Injection)


def test_the_defaults_are_one_step_after_a_warm_up() -> None:
    model = net()
    with paramedic.inject(model, momentum(model), "gradient-vanishing") as injection:
        timetable = injection._plans[0].timetable
        assert [timetable.occasion(step) for step in (499, 500, 501, 2500)] == [None, 0, None, None]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"model": 3}, TypeError, "`model` must be an `nn.Module` but got int"),
        ({"optimizer": "adam"}, TypeError, "`optimizer` must be a .* but got str"),
        ({"optimizer": []}, ValueError, "must not be an empty list"),
        ({"fault": "gradient-explosions"}, InjectionError, "did you mean `gradient-explosion`"),
        ({"fault": []}, InjectionError, "at least one fault"),
        ({"factr": 3}, InjectionError, "did you mean `factor`"),
        ({"layers": "O"}, InjectionError, "The model has no module `O`; there are 0, 1"),
        ({"at": -3}, InjectionError, "`at` must be"),
        ({"fault": "wrong-mode", "every": 5, "times": 2}, InjectionError, "lasts to the end"),
    ],
)
def test_what_cannot_be_fails_at_once(
    values: dict[str, Any], error: type[Exception], message: str
) -> None:
    model = net()
    optimizer = momentum(model)
    before = traces(model, optimizer)
    given = {"model": model, "optimizer": optimizer, "fault": "exploding-gradient", **values}
    with pytest.raises(error, match=message):
        paramedic.inject(**given)
    assert traces(model, optimizer) == before


def test_a_fault_that_fails_when_it_begins_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("paramedic.inject.faults.wrong_mode.WrongMode.begin", fail)
    model = net()
    optimizer = momentum(model)
    before = traces(model, optimizer)
    with pytest.raises(RuntimeError, match="broken"):
        paramedic.inject(model, optimizer, ["dead-input", "wrong-mode"], at=0)
    assert traces(model, optimizer) == before


def test_the_seed_is_that_of_the_fault() -> None:
    def noise(seed: int) -> torch.Tensor:
        model = nn.Identity()
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
        with paramedic.inject(model, optimizer, "abnormal-data", at=0, seed=seed):
            found: torch.Tensor = model(torch.zeros(2, 3))
            return found

    assert torch.equal(noise(1), noise(1))
    assert not torch.equal(noise(1), noise(2))
