"""Losses of Keras, with something in its place; `libraries/` has the real one."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from paramedic.probe.batch import find_batch
from paramedic.probe.forward import ForwardTap
from paramedic.probe.guard import Guard
from paramedic.probe.task import infer_task
from paramedic.run.keras_losses import KerasLosses, described
from paramedic.run.patching import Patches
from paramedic.types import Task
from tests.probe.keras_like import pretend


def _keras_loss(name: str, **kwargs: Any) -> Any:
    def fn() -> None: ...

    fn.__name__ = name
    return SimpleNamespace(fn=fn, _fn_kwargs=kwargs, reduction="sum_over_batch_size")


LABELS = torch.tensor([2, 0, 1])
ONE_HOT = torch.eye(3)[LABELS]
SCORES = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("loss", "target", "named"),
    [
        (_keras_loss("sparse_categorical_crossentropy", from_logits=True), LABELS, "cross-entropy"),
        (_keras_loss("sparse_categorical_crossentropy"), LABELS[:, None].float(), "nll"),
        (_keras_loss("categorical_crossentropy", from_logits=True), ONE_HOT, "cross-entropy"),
        (_keras_loss("categorical_crossentropy", from_logits=False), ONE_HOT, "nll"),
    ],
)
def test_classes_are_labels(loss: Any, target: Tensor, named: str) -> None:
    prediction = SCORES if named == "cross-entropy" else SCORES.softmax(-1)
    seen = described(loss, target, prediction)
    assert seen.named == named
    assert torch.equal(seen.target, LABELS)
    mean = torch.nn.functional.nll_loss(seen.prediction.log_softmax(-1), seen.target)
    assert float(mean) == pytest.approx(
        float(torch.nn.functional.cross_entropy(SCORES, LABELS)), rel=1e-5
    )


def test_one_label_for_each_place_of_a_sequence() -> None:
    loss = _keras_loss("sparse_categorical_crossentropy", from_logits=True)
    seen = described(loss, torch.zeros(2, 5, 1), torch.zeros(2, 5, 7))
    assert (seen.prediction.shape, seen.target.shape) == ((10, 7), (10,))


def test_shares_of_classes_stay_shares() -> None:
    shares = torch.full((3, 3), 1 / 3)
    loss = _keras_loss("categorical_crossentropy", from_logits=True)
    assert torch.equal(described(loss, shares, SCORES).target, shares)


@pytest.mark.parametrize(
    ("name", "kwargs", "named"),
    [
        ("mean_squared_error", {}, "mse"),
        ("binary_crossentropy", {}, "binary-cross-entropy"),
        ("binary_crossentropy", {"from_logits": True}, "binary-cross-entropy-with-logits"),
        ("my_loss", {}, "my_loss"),
    ],
)
def test_other_losses(name: str, kwargs: dict[str, Any], named: str) -> None:
    seen = described(_keras_loss(name, **kwargs), ONE_HOT, SCORES)
    assert seen.named == named
    assert seen.target is ONE_HOT


class Loss:
    """As Keras has it."""

    reduction = "sum_over_batch_size"
    _fn_kwargs = {"from_logits": True}  # noqa: RUF012 - as in Keras

    @staticmethod
    def fn() -> None: ...

    def __call__(self, y_true: Any, y_pred: Tensor, sample_weight: Any = None) -> Tensor:
        return -(torch.eye(3)[torch.as_tensor(y_true)] * y_pred.log_softmax(-1)).sum(-1).mean()


Loss.fn.__name__ = "sparse_categorical_crossentropy"


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    pretend(monkeypatch, "keras.src.losses.loss", Loss=Loss)
    reported: list[Any] = []
    patches = Patches()
    losses = KerasLosses(
        patches, Guard(strict=True), lambda *one: reported.append(one), lambda: False
    )
    losses.open()
    yield reported
    losses.close()
    patches.remove()
    assert Loss.__call__.__code__.co_filename == __file__


def test_a_look_sees_what_is_compared(reported: list[Any]) -> None:
    tap = ForwardTap(())
    tap.open()
    try:
        scores = SCORES.clone().requires_grad_()
        loss = Loss()(LABELS.numpy(), scores)
        batch = find_batch(tap.take(), [loss], set())
    finally:
        tap.close()
    assert (batch.loss, batch.is_mean) == ("cross-entropy", True)
    assert batch.target is not None
    assert torch.equal(batch.target, LABELS)
    assert infer_task(batch)[0] is Task.MULTI_CLASS
    (one,) = reported
    assert (one[0], one[3]) == ("cross_entropy", "mean")


def test_between_looks_only_evaluations_are_reported(reported: list[Any]) -> None:
    Loss()(LABELS, SCORES.clone().requires_grad_())
    assert reported == []
    Loss()(LABELS, SCORES)
    assert len(reported) == 1


def test_a_part_of_what_is_minimised_is_not_its_mean(reported: list[Any]) -> None:
    tap = ForwardTap(())
    tap.open()
    try:
        loss = Loss()(LABELS, SCORES.clone().requires_grad_()) + 1
        assert not find_batch(tap.take(), [loss], set()).is_mean
    finally:
        tap.close()
