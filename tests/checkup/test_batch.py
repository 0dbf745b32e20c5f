from __future__ import annotations

import pytest
import torch

from paramedic.checkup.batch import Batch
from paramedic.checkup.check import Skip

from .case import labels, normal


def last(nest: tuple[object, ...]) -> object:
    return nest[-1]


def test_inputs_and_targets_by_place() -> None:
    x = normal(6, 4)
    batch = Batch.of((x, x), last)  # the target of an autoencoder is its input
    assert batch.inputs == (0,)
    assert batch.targets == {1}
    assert (batch.axis, batch.size, batch.uneven) == (0, 6, "")


def test_the_axis_of_the_samples_follows_from_the_target() -> None:
    batch = Batch.of((normal(9, 6, 5), labels(6, 3)), last)
    assert (batch.axis, batch.size, batch.sequence_axis) == (1, 6, 0)
    assert batch.length() == 9


def test_the_axis_can_be_given() -> None:
    assert Batch.of((normal(6, 6, 5), labels(6, 3)), last, axis=1).axis == 1
    with pytest.raises(ValueError, match=r"shape \[6\], but got 1"):
        Batch.of((normal(6), labels(6, 3)), last, axis=1)


def test_taking_samples() -> None:
    x, y = normal(4, 3), labels(4, 2)
    few = Batch.of((x, y), last).take(2)
    assert torch.equal(few.tensors[0], x[:2])
    assert torch.equal(few.tensors[1], y[:2])
    many = Batch.of((x, y), last).take(6)
    assert torch.equal(many.tensors[0], torch.cat([x, x[:2]]))
    assert many.size == 6
    assert many.nest[0] is many.tensors[0]


def test_taking_samples_along_the_second_axis() -> None:
    x, y = normal(9, 4, 3), labels(4, 2)
    few = Batch.of((x, y), last).take(2)
    assert torch.equal(few.tensors[0], x[:, :2])
    assert torch.equal(few.tensors[1], y[:2])


def test_flattened_targets_are_cut_with_their_samples() -> None:
    x, y = labels(12, 9).view(3, 4), torch.arange(12)
    assert Batch.of((x, y), last).take(2).tensors[1].tolist() == list(range(8))


def test_a_batch_that_cannot_be_cut() -> None:
    batch = Batch.of((normal(7, 2), torch.zeros(2, 9), labels(7, 2)), last)
    assert "do not agree on the number of samples" in batch.uneven
    with pytest.raises(Skip, match="cannot be cut into samples"):
        batch.take(2)
    assert Batch.of("no tensors").uneven


def test_other_lengths() -> None:
    x = torch.arange(8).view(2, 4)
    batch = Batch.of((x, x + 1), last)
    assert batch.of_length(2).tensors[0].tolist() == [[0, 1], [4, 5]]
    assert batch.of_length(6).tensors[1].tolist() == [[1, 2, 3, 4, 1, 2], [5, 6, 7, 8, 5, 6]]


def test_what_a_model_gets_is_a_clone() -> None:
    x = normal(4, 3)
    given = Batch.of((x, labels(4, 2)), last).fresh()
    given[0].zero_()
    assert x.abs().sum() > 0
