from __future__ import annotations

import pytest
import torch
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from paramedic.run.losses import observe_losses
from paramedic.run.patching import Patches
from paramedic.run.phases import Phases

X, Y = torch.randn(12, 3), torch.arange(12) % 3


@pytest.fixture
def phases():  # type: ignore[no-untyped-def]
    patches, found = Patches(), Phases()
    found.open(patches)
    observe_losses(patches, found.loss_called, lambda: True)
    yield found
    patches.remove()


def _train(phases: Phases, loader: DataLoader[tuple[torch.Tensor, ...]]) -> None:
    for x, y in loader:
        functional.cross_entropy(x.requires_grad_(), y)
        phases.trained()


def test_an_epoch_ends_with_the_loader(phases: Phases) -> None:
    loader = DataLoader(TensorDataset(X, Y), batch_size=4)
    assert phases.take() is None
    _train(phases, loader)
    assert not phases.trained(), "the epoch that has ended comes first"
    assert phases.take() == {}
    assert phases.trained()


def test_validation_is_the_mean_over_samples(phases: Phases) -> None:
    train = DataLoader(TensorDataset(X, Y), batch_size=4)
    other = TensorDataset(torch.randn(10, 3), torch.arange(10) % 3)
    for reduction in ("mean", "sum"):
        _train(phases, train)
        with torch.no_grad():
            for x, y in DataLoader(other, batch_size=4):
                functional.cross_entropy(x, y, reduction=reduction)
        taken = phases.take()
        assert taken is not None
        logits, labels = other.tensors
        expected = functional.cross_entropy(logits, labels)
        assert taken["val_loss"] == pytest.approx(float(expected), rel=1e-5)
        share = (logits.argmax(1) == labels).float().mean()
        assert taken["val_acc"] == pytest.approx(float(share))


def test_labels_that_are_ignored_are_not_guessed(phases: Phases) -> None:
    """Of masked words only few have a label."""
    _train(phases, DataLoader(TensorDataset(X, Y), batch_size=4))
    scores, labels = torch.eye(3)[[0, 1, 2, 0]], torch.tensor([0, -100, 1, -100])
    with torch.no_grad():
        functional.cross_entropy(scores, labels)
    taken = phases.take()
    assert taken is not None
    assert taken["val_acc"] == 0.5


def test_what_is_learned_from_does_not_validate(phases: Phases) -> None:
    loader = DataLoader(TensorDataset(X, Y), batch_size=4)
    _train(phases, loader)
    with torch.no_grad():
        for x, y in loader:
            functional.cross_entropy(x, y)
    assert phases.take() == {}


def test_tensors_without_a_loader(phases: Phases) -> None:
    functional.cross_entropy(X.clone().requires_grad_(), Y)
    phases.trained()
    labels = Y.clone()
    with torch.no_grad():
        functional.cross_entropy(X, Y)  # on the training data
        loss = functional.cross_entropy(X, labels)
    assert phases.take() == {
        "val_loss": pytest.approx(float(loss)),
        "val_acc": pytest.approx(float((X.argmax(1) == Y).float().mean())),
    }
