from __future__ import annotations

import functools
import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.checkup.check import Skip
from paramedic.checkup.losses import Kind, comparison_of, named_kind, rows

from .case import Case, labels, normal
from .gpt import GPT, tokens
from .patients import patient

pytestmark = pytest.mark.usefixtures("as_in_a_check")

X, Y = normal(8, 5), labels(8, 3)


@pytest.mark.parametrize(
    ("loss", "kind"),
    [
        (nn.CrossEntropyLoss(), Kind.CROSS_ENTROPY),
        (F.cross_entropy, Kind.CROSS_ENTROPY),
        (functools.partial(F.cross_entropy, label_smoothing=0.1), Kind.CROSS_ENTROPY),
        (nn.NLLLoss(), Kind.LOG_LIKELIHOOD),
        (nn.BCEWithLogitsLoss(), Kind.BINARY_LOGITS),
        (nn.BCELoss(), Kind.BINARY),
        (nn.HuberLoss(), Kind.ABSOLUTE),
        (nn.TripletMarginLoss(), None),
        (lambda o, t: o, None),
    ],
)
def test_losses_of_torch_by_name(loss: Any, kind: Kind | None) -> None:
    assert named_kind(loss) is kind


@pytest.mark.parametrize(
    ("loss", "target", "kind"),
    [
        (lambda o, t: F.cross_entropy(o, t, reduction="sum"), Y, Kind.CROSS_ENTROPY),
        (lambda o, t: -o.log_softmax(1)[torch.arange(8), t].mean(), Y, Kind.CROSS_ENTROPY),
        (lambda o, t: ((o - t) ** 2).mean(), normal(8, 3), Kind.SQUARED),
        (lambda o, t: (o - t).abs().sum() / 8, normal(8, 3), None),
        (lambda o, t: (o - t).abs().sum(), normal(8, 3), Kind.ABSOLUTE),
        (lambda o, t: o.mean(), Y, None),
    ],
)
def test_losses_by_hand_by_their_value(loss: Any, target: Tensor, kind: Kind | None) -> None:
    found = comparison_of(patient(Case(nn.Linear(5, 3), (X, target), loss)))
    assert found.kind is kind


def test_scores_of_other_predictions() -> None:
    case = Case(nn.Linear(5, 3), (X, Y), nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0])))
    found = comparison_of(patient(case))
    assert found.score(torch.zeros(8, 3)) == pytest.approx(math.log(3))


def test_a_model_that_computes_its_own_loss() -> None:
    found = comparison_of(patient(Case(GPT(), tokens())))
    assert found.kind is Kind.CROSS_ENTROPY
    assert found.last_axis
    assert found.score(torch.zeros_like(found.prediction)) == pytest.approx(math.log(31))


def test_only_the_right_output_is_swapped() -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(5, 3)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return self.inner(x), x

    case = Case(Two(), (X, Y), lambda o, t: F.cross_entropy(o[0], t) + 0 * o[1].sum())
    found = comparison_of(patient(case))
    assert found.score(torch.zeros(8, 3)) == pytest.approx(math.log(3))


def test_without_targets() -> None:
    with pytest.raises(Skip, match="no targets"):
        comparison_of(patient(Case(nn.Linear(5, 3), X)))


def test_rows() -> None:
    flat, names = rows(normal(2, 7, 4), labels(8, 7).view(2, 4), last_axis=False) or (X, Y)
    assert flat.shape == (8, 7)
    assert names.shape == (8,)
    assert rows(normal(2, 7, 4), labels(14, 4).view(2, 7), last_axis=False) is None
    flat, _ = rows(normal(2, 7, 4), labels(14, 4).view(2, 7), last_axis=True) or (X, Y)
    assert flat.shape == (14, 4)
