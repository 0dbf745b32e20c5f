from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.checkup.calling import CannotCall, find_calling, loss_in, prediction_in, told
from paramedic.checkup.check import Skip

from .case import labels, normal
from .gpt import GPT, tokens

X, Y = normal(4, 3), labels(4, 2)


def test_model_and_loss() -> None:
    model = nn.Linear(3, 2)
    calling = find_calling(model, (X, Y), nn.CrossEntropyLoss(), None)
    output = calling.output(model, (X, Y))
    loss = calling.loss(nn.CrossEntropyLoss(), output, (X, Y))
    assert torch.equal(loss, F.cross_entropy(model(X), Y))


def test_a_model_that_computes_its_own_loss() -> None:
    model = GPT()
    calling = find_calling(model, tokens(), None, None)
    assert calling.way.computes_loss
    output = calling.output(model.eval(), tokens())
    assert calling.loss(None, output, tokens()) is output[1]


def test_a_target_is_no_second_input() -> None:
    class Attention(nn.Module):
        def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
            return x

    calling = find_calling(Attention(), (X, Y), None, None)
    assert calling.way.words == "model(*batch[:-1])"
    with pytest.raises(Skip, match="no `loss_fn`"):
        calling.loss(None, X, (X, Y))


def test_a_loss_that_takes_all_outputs_and_the_input() -> None:
    class Two(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return x + 1, x + 2

    def loss(one: Tensor, two: Tensor, x: Tensor) -> Tensor:
        return (one + two - 2 * x).mean()

    calling = find_calling(Two(), X, loss, None)
    assert calling.loss_way is not None
    assert calling.loss_way.words == "loss_fn(*output, *inputs)"
    assert float(calling.loss(loss, Two()(X), X)) == pytest.approx(3)


def test_tokens_are_flattened_when_the_loss_wants_rows() -> None:
    model = nn.Sequential(nn.Embedding(31, 7), nn.Linear(7, 31))
    calling = find_calling(model, tokens(), nn.CrossEntropyLoss(), None)
    assert calling.loss_way is not None
    assert "flatten" in calling.loss_way.words


def test_why_a_loss_cannot_be_computed() -> None:
    calling = find_calling(nn.Linear(3, 2), (X, Y + 5), nn.CrossEntropyLoss(), None)
    assert "out of bounds" in calling.loss_problem
    with pytest.raises(Skip, match="out of bounds"):
        calling.loss(nn.CrossEntropyLoss(), nn.Linear(3, 2)(X), (X, Y + 5))


def test_no_way_to_call() -> None:
    with pytest.raises(CannotCall, match="mat1 and mat2 shapes") as raised:
        find_calling(nn.Linear(9, 2), (X, Y), nn.CrossEntropyLoss(), None)
    assert raised.value.fitting

    class Three(nn.Module):
        def forward(self, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
            return a

    with pytest.raises(CannotCall, match="takes other arguments") as raised:
        find_calling(Three(), X, None, None)
    assert not raised.value.fitting


def test_the_callers_own_forward() -> None:
    calling = find_calling(nn.Linear(3, 2), {"a": X}, None, lambda model, batch: model(batch["a"]))
    assert calling.output(nn.Linear(3, 2), {"a": X}).shape == (4, 2)


@dataclass
class Answer:
    loss: Tensor
    logits: Tensor


def test_finding_loss_and_prediction_in_outputs() -> None:
    loss, logits = torch.tensor(0.5), normal(4, 2)
    for output in ((logits, loss), {"loss": loss, "logits": logits}, Answer(loss, logits)):
        assert loss_in(output) is not None
        assert float(loss_in(output)) == 0.5  # type: ignore[arg-type]
        assert prediction_in(output) is logits
    assert loss_in(logits) is None
    assert prediction_in(loss) is None
    assert prediction_in((torch.ones(3, dtype=torch.long), logits)) is logits


def test_parts_of_a_loss_are_added() -> None:
    model = nn.Linear(3, 2)
    calling = find_calling(model, (X, Y), lambda o, t: {"a": o.mean(), "b": o.mean()}, None)
    loss = calling.loss(lambda o, t: {"a": o.mean(), "b": o.mean()}, model(X), (X, Y))
    assert float(loss) == pytest.approx(2 * float(model(X).mean()))


def test_an_error_in_one_line() -> None:
    assert told(ValueError("first.\nsecond")) == "ValueError: first"
    assert told(KeyError()) == "KeyError: no message"
