"""Batches: the order depends on the seed and the epoch, whatever the data comes in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from paramedic.treat.batches import Batches, fed, prepared_pair, unloaded
from paramedic.treat.preparation import Change, Preparation
from tests.treat.plans import points

X, Y = points(65)


@pytest.mark.parametrize("kind", ["tensors", "dataset", "loader"])
def test_the_same_seed_and_epoch_give_the_same_batches(kind: str) -> None:
    dataset = TensorDataset(X, Y)
    loader = unloaded(DataLoader(dataset, batch_size=8, shuffle=True))
    data: Any = {"tensors": (X, Y), "dataset": dataset, "loader": loader}[kind]

    def order(seed: int, epoch: int) -> Tensor:
        return torch.cat([y for _, y in Batches(data, 16, seed=seed).epoch(epoch)])

    assert torch.equal(order(0, 1), order(0, 1))
    assert not torch.equal(order(0, 1), order(0, 2))
    assert not torch.equal(order(0, 1), order(1, 1))
    assert len(order(0, 0)) == 64  # the last batch would have one sample
    assert len(Batches(data, 16)) == 4


def test_validation_is_whole_and_in_order() -> None:
    batches = Batches((X, Y), 16, train=False)
    assert torch.equal(torch.cat([x for x, _ in batches.epoch(0)]), X)
    assert len(batches) == 5


def test_a_stream_is_taken_as_it_comes() -> None:
    class Stream(IterableDataset[Any]):
        def __iter__(self) -> Any:
            return iter(list(zip(X, Y, strict=True)))

        def __len__(self) -> int:
            return len(X)

    loader = DataLoader(Stream(), batch_size=13)
    batches = Batches(unloaded(loader), 32)
    assert [len(y) for _, y in batches.epoch(0)] == [13] * 5
    assert len(batches) == 5


def test_a_batch_that_is_no_pair_is_told() -> None:
    with pytest.raises(ValueError, match=r"must be a pair .* a list of 1"):
        next(Batches(TensorDataset(X), 8).epoch(0))


@dataclass(frozen=True)
class Centre(Preparation):
    def fit(self, values: Tensor) -> Change:
        mean = values.mean(0)
        return lambda batch: batch - mean


@pytest.mark.parametrize("dataset", [False, True])
def test_preparations_are_fitted_on_the_training_data_only(dataset: bool) -> None:
    other = X + 100.0
    train: Any = TensorDataset(X, Y) if dataset else (X, Y)
    seen: Any = TensorDataset(other, Y) if dataset else (other, Y)
    pair = Batches(train, 16), Batches(seen, 16, train=False)
    prepared = prepared_pair(*pair, [Centre()], [])
    expected = other - X.mean(0)
    assert torch.allclose(torch.cat([x for x, _ in prepared[1].epoch(0)]), expected)
    assert torch.allclose(prepared[0].gathered()[0], X - X.mean(0))


def test_inputs_may_be_several_or_named() -> None:
    assert fed(lambda a, b: a + b, (1, 2)) == 3
    assert fed(lambda a, b: a - b, {"b": 1, "a": 3}) == 2
    assert fed(lambda a: a, 4) == 4
