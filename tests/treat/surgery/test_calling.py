from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from paramedic.treat.surgery import Refusal
from paramedic.treat.surgery.calling import arguments, copied, output_of
from tests.treat.surgery.architectures import TwoInputs, lazy


class _TakesMapping(nn.Module):
    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        return batch["x"]


def test_an_example_is_handed_over_as_the_model_takes_it() -> None:
    model, pair = TwoInputs(), (torch.ones(2, 4), torch.ones(2, 3))
    assert arguments(model, pair) == (pair, {})
    named = {"left": pair[0], "right": pair[1]}
    assert arguments(model, named) == ((), named)
    assert arguments(nn.ReLU(), pair[0]) == ((pair[0],), {})
    mapping = {"x": pair[0]}
    assert arguments(_TakesMapping(), mapping) == ((mapping,), {})


def test_running_changes_neither_buffers_nor_the_example() -> None:
    model = nn.Sequential(nn.BatchNorm1d(3), nn.ReLU(inplace=True), nn.Dropout(0.5))
    example = torch.randn(4, 3)
    kept, mean = example.clone(), model[0].running_mean.clone()
    first = output_of(model, example, training=True)
    assert torch.equal(first, output_of(model, example, training=True))
    assert torch.equal(model[0].running_mean, mean)
    assert torch.equal(example, kept)


def test_lazy_modules_get_their_shapes() -> None:
    twin = copied(lazy(), torch.ones(2, 5))
    assert twin[0].weight.shape == (6, 5)  # type: ignore[index,union-attr]


def test_what_cannot_be_copied_or_is_wrapped_is_refused() -> None:
    model = nn.Linear(2, 2)
    model.extra = model.weight * 2  # type: ignore[assignment] # not a leaf: no deep copy
    with pytest.raises(Refusal, match="cannot be copied"):
        copied(model, torch.ones(1, 2))
    with pytest.raises(Refusal, match="wrapped in DataParallel"):
        copied(nn.DataParallel(nn.Linear(2, 2)), torch.ones(1, 2))
