"""What a forward pass leaves behind can be taken back."""

from __future__ import annotations

import torch
from torch import nn

from paramedic.treat.buffers import Buffers, named_buffers


class Odd(nn.Module):
    """One constant buffer, one that is replaced, one that is missing."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", torch.ones(3))
        self.register_buffer("memory", torch.zeros(2))
        self.register_buffer("absent", None)
        self.norm = nn.BatchNorm1d(3)


def test_every_buffer_is_found_once() -> None:
    model = Odd()
    names = [name for _, name in named_buffers([model, model.norm])]
    assert sorted(names) == [
        "absent", "mask", "memory", "num_batches_tracked", "running_mean", "running_var",
    ]  # fmt: skip


def test_a_poisoned_batch_is_taken_back() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    buffers = Buffers([model])
    model(torch.randn(8, 3))
    buffers.keep()
    good = [one.clone() for one in model.buffers()]
    model(torch.full((8, 3), float("nan")))
    assert not torch.isfinite(model[1].running_mean).any()
    buffers.restore()
    assert all(map(torch.equal, good, model.buffers()))
    buffers.restore()
    model(torch.randn(8, 3))
    buffers.keep()
    assert not torch.equal(good[0], model[1].running_mean)


def test_a_large_buffer_is_copied_only_if_it_changed() -> None:
    model = nn.Module()
    model.register_buffer("mask", torch.ones(100_000))
    buffers = Buffers([model])
    buffers.keep()
    (copy,) = buffers._copies
    version = copy._version
    buffers.keep()
    assert copy._version == version
    model.mask[0] = 5.0
    buffers.keep()
    assert copy[0] == 5.0
    model.mask.zero_()
    buffers.restore()
    assert model.mask[:2].tolist() == [5.0, 1.0]


def test_a_buffer_that_was_replaced_or_has_grown() -> None:
    model = Odd()
    buffers = Buffers([model])
    buffers.keep()
    model.memory = torch.full((2,), 7.0)
    buffers.restore()
    assert torch.equal(model.memory, torch.zeros(2))
    model.memory = torch.full((5,), 7.0)
    buffers.restore()
    assert torch.equal(model.memory, torch.zeros(2))
    model.memory = torch.full((5,), 7.0)
    buffers.keep()
    model.memory.fill_(1.0)
    buffers.restore()
    assert torch.equal(model.memory, torch.full((5,), 7.0))
