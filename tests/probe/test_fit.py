"""The part of a composed loss that compares predictions with targets, and the constant answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from paramedic.probe.fit import Fit, Term, term_of

X = torch.randn(64, 5, generator=torch.Generator().manual_seed(0))
Y = torch.randint(0, 3, (64,), generator=torch.Generator().manual_seed(1))
W = torch.randn(5, 3, generator=torch.Generator().manual_seed(2)).requires_grad_()
VALUES = torch.randn(64, 3, generator=torch.Generator().manual_seed(3))
SHARES = torch.rand(64, 3, generator=torch.Generator().manual_seed(4))


def _told(loss_of: Callable[[Tensor], Tensor]) -> dict[str, float]:
    """What is told of `loss_of` some scores, beside a penalty."""
    return Fit().scalars(term_of([loss_of(X @ W) + 0.3 * W.square().sum()]))


def test_cross_entropy_against_the_frequencies_of_the_labels() -> None:
    found = _told(lambda scores: F.cross_entropy(scores, Y))
    shares = np.bincount(Y.numpy()) / len(Y)
    assert found["fit_loss"] == pytest.approx(F.cross_entropy(X @ W, Y).item(), rel=1e-5)
    assert found["fit_constant"] == pytest.approx(-(shares * np.log(shares)).sum())


def test_labels_that_are_ignored_do_not_count() -> None:
    labels = torch.where(torch.arange(64) < 20, -100, Y)
    found = _told(lambda scores: F.cross_entropy(scores, labels))
    shares = np.bincount(Y[20:].numpy()) / 44
    assert found["fit_constant"] == pytest.approx(-(shares * np.log(shares)).sum())
    assert found["fit_loss"] == pytest.approx(
        F.cross_entropy((X @ W)[20:], Y[20:]).item(), rel=1e-5
    )


def test_squared_error_against_the_mean_of_each_output() -> None:
    scaled = VALUES * torch.tensor([1.0, 2.0, 3.0]) + torch.tensor([0.0, 50.0, 0.0])
    found = _told(lambda scores: F.mse_loss(scores, scaled))
    assert found["fit_loss"] == pytest.approx(F.mse_loss(X @ W, scaled).item(), rel=1e-5)
    assert found["fit_constant"] == pytest.approx(scaled.var(dim=0).mean().item(), rel=1e-4)


@pytest.mark.parametrize("logits", [True, False])
def test_binary_cross_entropy_against_the_share_of_each_output(logits: bool) -> None:
    loss = F.binary_cross_entropy_with_logits if logits else F.binary_cross_entropy
    found = _told(lambda scores: loss(scores if logits else scores.sigmoid(), SHARES))
    means = SHARES.mean(dim=0).expand(64, 3)
    assert found["fit_loss"] == pytest.approx(
        F.binary_cross_entropy_with_logits(X @ W, SHARES).item(), rel=1e-4
    )
    assert found["fit_constant"] == pytest.approx(F.binary_cross_entropy(means, SHARES).item())


def test_the_constant_answer_is_that_of_all_batches_so_far() -> None:
    fit = Fit()
    for shift in (0.0, 10.0):  # a batch alone has little spread
        found = fit.scalars(term_of([F.mse_loss(X @ W, VALUES + shift) + W.sum()]))
    both = torch.cat([VALUES, VALUES + 10])
    assert found["fit_constant"] == pytest.approx(both.var(dim=0).mean().item(), rel=1e-4)


@pytest.mark.parametrize(
    "loss_of",
    [
        lambda scores: scores.square().mean(),  # nothing is compared
        lambda scores: F.mse_loss(scores, VALUES) + F.cross_entropy(scores, Y),  # two tasks
        lambda scores: F.cross_entropy(scores, Y, weight=torch.tensor([1.0, 5.0, 1.0])),
        lambda scores: F.mse_loss(scores, torch.zeros(64, 3)),  # a residual: no targets
        lambda scores: F.cross_entropy(scores @ scores.T, torch.arange(64)),  # places, not classes
        lambda scores: F.mse_loss(scores[:8], VALUES[:8]),  # too few targets
        lambda scores: F.mse_loss(scores.sum(), torch.tensor(1.0)),
    ],
)
def test_what_has_no_constant_answer(loss_of: Callable[[Tensor], Tensor]) -> None:
    assert _told(loss_of) == {}


def test_it_is_known_once_it_was_seen() -> None:
    fit = Fit()
    assert fit.scalars(None) == {}
    assert not fit.is_known
    fit.scalars(term_of([F.mse_loss(X @ W, VALUES) + W.sum()]))
    assert fit.is_known


@pytest.mark.parametrize(
    "loss",
    [
        F.l1_loss,
        lambda out, target: F.smooth_l1_loss(out, target, beta=0.5),
        lambda out, target: F.huber_loss(out, target, delta=2.0),
    ],
)
def test_distances_against_the_median_of_each_output(
    loss: Callable[[Tensor, Tensor], Tensor],
) -> None:
    root = loss(X @ W, VALUES)
    term = term_of([root]) or Term("l1", X @ W, VALUES)
    found = Fit().scalars(term)
    medians = VALUES.double().quantile(0.5, dim=0).expand(64, 3)
    assert found["fit_loss"] == pytest.approx(root.item(), rel=1e-5)
    assert found["fit_constant"] == pytest.approx(loss(medians, VALUES.double()).item())


def test_medians_are_of_bounded_memory() -> None:
    fit = Fit()
    for number in range(100):
        target = torch.full((128, 1), float(number % 7))
        found = fit.scalars(Term("l1", torch.zeros(128, 1), target))
    assert fit._kept.numel() < 2**14
    assert found["fit_constant"] == pytest.approx(12 / 7, rel=0.1)
    wide = torch.randn(64, 10_000)
    assert fit.scalars(Term("l1", torch.zeros_like(wide), wide)) == {}
