from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import paramedic
from paramedic.inject.fault import InjectionError

from ..patients import data, momentum, net, train


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("layer", ["0", "2", "7"])
def test_one_value_of_the_output_of_the_layer(layer: str, value: float) -> None:
    model = net()
    optimizer = momentum(model)
    seen: list[torch.Tensor] = []
    with paramedic.inject(model, optimizer, "non-finite", at=0, layer=layer, value=value):
        handle = model[int(layer)].register_forward_hook(lambda m, a, out: seen.append(out))
        model(data(8)[0])
        handle.remove()
    bad = ~torch.isfinite(seen[0])
    assert bad.nonzero().tolist() == [[0, 0]]
    assert repr(seen[0][0, 0].item()) == repr(value)


def test_the_middle_layer_if_none_is_named() -> None:
    run = train(3, "non-finite", at=1)
    assert run.log == [(1, "non-finite: a value of the output of `3` set to nan")]
    assert [math.isfinite(loss) for loss in run.losses] == [True, False, False]


def test_a_layer_that_gives_several_tensors() -> None:
    model = nn.LSTM(3, 5)
    optimizer = momentum(model)
    with paramedic.inject(model, optimizer, "non-finite", at=0):
        output, (hidden, _) = model(torch.ones(2, 4, 3))
    assert (~torch.isfinite(output)).sum() == 1
    assert torch.isfinite(hidden).all()


@pytest.mark.parametrize("layer", ["0", "3", "5"])
def test_its_origin_is_told(layer: str) -> None:
    run = train(40, "non-finite", at=30, layer=layer, watch="before")
    root = run.monitor.diagnosis.root
    assert root.slug == "non-finite"
    assert root.evidence["first_step"] == 30
    assert root.where == (layer,)


@pytest.mark.parametrize("on_nan", ["locate", "replay"])
def test_also_between_two_looks_and_in_a_copy_of_the_model(on_nan: str) -> None:
    model = net()
    optimizer = momentum(model)
    x, y = data(32)
    with (
        paramedic.watch(model, optimizer, overhead=1e-4, on_nan=on_nan, strict=True) as monitor,
        paramedic.inject(model, optimizer, "non-finite", at=50, layer="5"),
    ):
        for _ in range(52):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    root = monitor.diagnosis.root
    assert root is not None
    assert (root.evidence["first_step"], root.where) == (50, ("5",))


def test_a_finite_value_is_none() -> None:
    model = net()
    with pytest.raises(InjectionError, match="`value` must be NaN or infinite but got 3"):
        paramedic.inject(model, momentum(model), "non-finite", value=3)
    with pytest.raises(InjectionError, match="no layer with trainable parameters"):
        paramedic.inject(nn.Identity(), momentum(model), "non-finite")
