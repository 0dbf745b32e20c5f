from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.utils.data import TensorDataset

from paramedic.treat.preparation import Preparation
from paramedic.treat.preparations import ClipOutliers, ImputeMissing, Standardise
from tests.treat.plans import plan, points

PREPARATIONS = [ImputeMissing(), ClipOutliers(), Standardise()]


def _values(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return 50 + 20 * torch.randn(*shape, generator=generator)


def _same(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def test_features_get_mean_zero_and_deviation_one() -> None:
    x = torch.cat([_values(500, 2), 1e-4 * _values(500, 1)], 1)
    after = Standardise().fit(x)(x)
    assert torch.allclose(after.mean(0), torch.zeros(3), atol=1e-3)
    assert torch.allclose(after.std(0), torch.ones(3), atol=5e-3)


def test_pictures_are_standardised_by_channel() -> None:
    x = _values(20, 3, 4, 4) * torch.tensor([1.0, 10.0, 100.0]).reshape(3, 1, 1)
    after = Standardise().fit(x)(x)
    assert torch.allclose(after.mean((0, 2, 3)), torch.zeros(3), atol=1e-4)
    assert after.shape == x.shape
    # One number for a channel: what is equal in a channel stays so.
    assert float((after[0, 0] - after[0, 0].mean()).std()) > 0.5


def test_a_constant_feature_stays_within_bounds() -> None:
    train = torch.cat([_values(100, 1), torch.ones(100, 1)], 1)
    after = Standardise(limit=5.0).fit(train)(torch.tensor([[50.0, 3.0]]))
    assert after[0, 1] == 5.0


def test_gaps_are_filled_by_the_training_median() -> None:
    train = torch.tensor([[1.0, 5.0], [2.0, torch.nan], [3.0, 9.0], [torch.inf, 7.0]])
    change = ImputeMissing().fit(train)
    assert torch.equal(change(torch.tensor([[torch.nan, -torch.inf]])), torch.tensor([[2.0, 7.0]]))
    assert torch.equal(change(train[:1]), train[:1])


def test_a_feature_that_was_never_seen_becomes_zero() -> None:
    train = torch.full((3, 1), torch.nan)
    assert torch.equal(ImputeMissing().fit(train)(train), torch.zeros(3, 1))


def test_outliers_are_cut_and_the_rest_is_left() -> None:
    train = _values(1000, 1)
    train[0] = 1e9
    after = ClipOutliers().fit(train)(train)
    assert torch.equal(after[1:], train[1:])
    assert 100 < after[0] < 300


@pytest.mark.parametrize("preparation", PREPARATIONS, ids=repr)
@pytest.mark.parametrize("as_dataset", [False, True])
def test_validation_data_leaks_nowhere(preparation: Preparation, as_dataset: bool) -> None:
    """Whatever the validation data is, the training data is prepared the same, and each validation
    sample by itself: not by what stands beside it."""
    x, y = points(64)
    x = 100 * x
    x[3, 0] = torch.nan
    x[5, 1] = 1e6
    others, labels = points(32, seed=1)
    wild = torch.cat([others[:1], 1e7 * others[1:]])

    def prepared(validation: Tensor) -> tuple[Tensor, Tensor]:
        pairs = [(x, y), (validation, labels)]
        train, judged = (TensorDataset(*pair) for pair in pairs) if as_dataset else pairs
        found = plan(train=train, validation=judged, inputs=(preparation,)).batches
        return found[0].gathered()[0], found[1].gathered()[0]

    calm_train, calm = prepared(others)
    wild_train, strange = prepared(wild)
    assert _same(calm_train, wild_train)
    assert _same(calm[0], strange[0])
    assert _same(calm, preparation.fit(x)(others))
