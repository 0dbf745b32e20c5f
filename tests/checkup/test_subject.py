from __future__ import annotations

import threading

import pytest
import torch
from torch import Tensor, nn

from paramedic.checkup.check import Skip
from paramedic.checkup.subject import duplicate, require_two

from .case import Case, labels, normal
from .gpt import GPT, tokens
from .patients import patient
from .sound import SOUND

pytestmark = pytest.mark.usefixtures("as_in_a_check")


def test_tokens_positions_and_language() -> None:
    subject = patient(SOUND["masked-language-model-with-a-dict"]()).subject
    assert {one.rows for one in subject.lookups.values()} == {30}
    assert subject.positions == 16
    assert not subject.language_model
    assert patient(Case(GPT(), tokens())).subject.language_model


def test_a_large_batch_is_tried_in_part() -> None:
    sizes = []

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(3, 2)

        def forward(self, x: Tensor) -> Tensor:
            sizes.append(len(x))
            return self.inner(x)

    subject = patient(
        Case(Model(), (normal(500, 3), labels(500, 2)), nn.CrossEntropyLoss())
    ).subject
    assert max(sizes) <= 8
    assert subject.small.size == 8
    assert subject.batch.size == 500


def test_a_model_of_one_batch_size_gets_all() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(3, 2)

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x.reshape(20, 3))

    case = Case(Model(), (normal(20, 3), labels(20, 2)), nn.CrossEntropyLoss())
    assert patient(case).subject.calling is not None
    assert [one.name for one in case.checkup().failed] == ["forward-shapes"]


def test_long_texts_are_cut() -> None:
    model = nn.Sequential(nn.Embedding(31, 8), nn.Linear(8, 31))
    someone = patient(Case(model, tokens(3, 100), nn.CrossEntropyLoss()))
    assert someone.batch.length() == 64
    assert someone.whole.length() == 100


def test_copies_know_each_other() -> None:
    class Loss(nn.Module):
        def __init__(self, model: nn.Module) -> None:
            super().__init__()
            self.model = model

    model = nn.Linear(2, 2)
    twin, loss = duplicate(model, Loss(model))
    assert twin is not model
    assert loss.model is twin  # type: ignore[union-attr]


def test_results_that_a_module_keeps_are_copied() -> None:
    model = nn.Linear(2, 2)
    model.last = model(torch.ones(1, 2))  # type: ignore[assignment]
    assert duplicate(model, None)[0] is not model


def test_what_cannot_be_copied_is_used_itself() -> None:
    model = nn.Linear(2, 2)
    model.lock = threading.Lock()  # type: ignore[assignment]
    assert duplicate(model, None)[0] is model


def test_two_samples_are_needed() -> None:
    with pytest.raises(Skip, match="a single sample"):
        require_two(patient(Case(nn.Linear(2, 1), normal(1, 2))).batch)
