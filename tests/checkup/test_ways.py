from __future__ import annotations

from typing import Any

import torch
from torch import nn

from paramedic.checkup.ways import Arguments, accepts, loss_ways, ways

X, Y = torch.zeros(2, 3), torch.ones(2)


def words(batch: Any, *, with_loss: bool) -> list[str]:
    return [way.words for way in ways(batch, with_loss=with_loss)]


def test_a_tensor() -> None:
    assert words(X, with_loss=True) == ["model(batch)"]


def test_a_pair() -> None:
    assert words((X, Y), with_loss=True)[0] == "model(*batch[:-1])"
    first = next(ways((X, Y), with_loss=True))
    assert first.arguments((X, Y)).args == (X,)
    assert first.target((X, Y)) is Y


def test_a_pair_without_a_loss_may_compute_its_own() -> None:
    first = next(ways((X, Y), with_loss=False))
    assert first.words == "model(*batch)"
    assert first.computes_loss
    assert first.target((X, Y)) is Y


def test_inputs_inside_inputs() -> None:
    assert "model(**batch[0])" in words(({"a": X}, Y), with_loss=True)
    assert "model(*batch[0])" in words(([X, X], Y), with_loss=True)


def test_mappings() -> None:
    batch = {"image": X, "label": Y}
    first = next(ways(batch, with_loss=True))
    assert first.arguments(batch).kwargs == {"image": X}
    assert first.target(batch) is Y
    assert next(ways(batch, with_loss=False)).computes_loss
    assert words({"image": X}, with_loss=True) == ["model(**batch)", "model(batch)"]


def test_losses() -> None:
    assert next(loss_ways(X, Y, [X])).arguments(X, Y, [X]) == (X, Y)
    assert [way.words for way in loss_ways((X, X), None, [Y])][-1] == "loss_fn(*output, *inputs)"
    tokens = torch.zeros(2, 3, 5), torch.zeros(2, 3)
    flat = [way for way in loss_ways(*tokens, []) if "flatten" in way.words]
    assert [one.shape for one in flat[0].arguments(*tokens, [])] == [(6, 5), (6,)]


def test_what_a_signature_takes() -> None:
    assert accepts(nn.Linear(3, 1), Arguments((X,)))
    assert not accepts(nn.Linear(3, 1), Arguments((X, Y)))
    assert not accepts(lambda output: output, Arguments((X, Y)))
    assert accepts(nn.CrossEntropyLoss(), Arguments((X, Y)))
