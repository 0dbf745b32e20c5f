from __future__ import annotations

import torch

import paramedic

from ..patients import momentum, net


def test_targets_are_shuffled_and_inputs_are_not() -> None:
    model = net()
    x, y = torch.randn(50, 12), torch.arange(50)
    with paramedic.inject(model, momentum(model), "uninformative-labels", at=0) as injection:
        inputs, targets = injection.batch(x, y)
        _, again = injection.batch(x, y)
    assert inputs is x
    assert sorted(targets.tolist()) == y.tolist()
    assert targets.tolist() != y.tolist()
    assert again.tolist() != targets.tolist()
    assert y.tolist() == list(range(50))


def test_what_belongs_together_stays_together() -> None:
    model = net()
    y = torch.arange(50)
    given = {
        "class": y,
        "box": torch.stack([y, y], dim=1),
        "name": "digits",
        "weight": torch.ones(()),
    }
    with paramedic.inject(model, momentum(model), "uninformative-labels", at=0) as injection:
        _, targets = injection.batch(None, given)
    assert torch.equal(targets["box"][:, 0], targets["class"])
    assert targets["name"] == "digits"
    assert targets["class"].tolist() != y.tolist()


def test_before_the_onset_they_are_what_they_were() -> None:
    model = net()
    y = torch.arange(5)
    with paramedic.inject(model, momentum(model), "uninformative-labels", at=3) as injection:
        assert injection.batch(None, y) == (None, y)
        assert injection.log == []
