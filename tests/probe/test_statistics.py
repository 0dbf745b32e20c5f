"""Statistics of layers, both ways, against NumPy in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from torch import Tensor

from paramedic.probe import native
from paramedic.probe.native import SAMPLE
from paramedic.probe.ranks import Shards
from paramedic.probe.statistics import TensorReader

NAMES = ("mean", "var", "median", "min", "max", "q1", "q3", "skew", "kurtosis", "zero")
NAN, INF = float("nan"), float("inf")


def _reader(height: int) -> TensorReader:
    return TensorReader(height, Shards([]))


def _columns(
    tensors: Sequence[Tensor], rows: Sequence[int] = (0,), height: int = 1
) -> dict[str, np.ndarray]:
    vectors = native.vectors_of(tensors)
    found = _reader(height).statistics(tensors, np.array(rows, np.int64), vectors)
    assert {column.dtype for column in found.values()} == {np.dtype(np.float32)}
    return found


def _ten(tensors: Sequence[Tensor], rows: Sequence[int] = (0,), height: int = 1) -> np.ndarray:
    """The ten statistics, one line per row, in the order of `NAMES`."""
    found = _columns(tensors, rows, height)
    return np.stack([found[name] for name in NAMES]).T


def _norms(tensors: Sequence[Tensor]) -> np.ndarray:
    """The norm of each tensor, in a row of its own."""
    rows = np.arange(len(tensors))
    (norms, bad), total = _reader(len(tensors)).norms(tensors, rows, native.vectors_of(tensors))
    assert bad.tolist() == np.isinf(norms).tolist()
    assert total == pytest.approx(np.sqrt((norms.astype(np.float64) ** 2).sum()), rel=1e-5)
    return norms


def _exact(values: np.ndarray) -> list[float]:
    x = np.sort(np.asarray(values, np.float64).reshape(-1))
    d = x - x.mean()
    variance = (d**2).mean()
    q1, median, q3 = (x[math.floor(share * (len(x) - 1))] for share in (0.25, 0.5, 0.75))
    skew = (d**3).mean() / variance**1.5 if variance else 0.0
    kurtosis = (d**4).mean() / variance**2 - 3 if variance else 0.0
    zero = (x == 0).mean()
    return [x.mean(), variance, median, x[0], x[-1], q1, q3, skew, kurtosis, zero]


def _randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _gamma(count: int) -> np.ndarray:
    """Skewed, so that an error in the third moment shows."""
    return np.random.default_rng(count).gamma(2.0, size=count)


elements = st.floats(-100, 100, width=32, allow_subnormal=False)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(hnp.arrays(np.float32, st.integers(1, 200), elements=elements))
def test_small_tensors_are_exact(way: str, x: np.ndarray) -> None:
    found, exact = _ten([torch.from_numpy(x)])[0], _exact(x)
    assert found[[2, 3, 4, 5, 6, 9]] == pytest.approx(np.array(exact)[[2, 3, 4, 5, 6, 9]], rel=1e-6)
    spread = exact[4] - exact[3]
    assert found[0] == pytest.approx(exact[0], rel=1e-5, abs=1e-6 * spread)
    assert found[1] == pytest.approx(exact[1], rel=1e-4)
    if spread > 1e-4 * np.abs(x).max():  # else float32 itself does not hold the shape
        assert found[[7, 8]] == pytest.approx(exact[7:9], rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("count", [200, 5000])
def test_scale(way: str, scale: float, count: int) -> None:
    plain = _gamma(count)
    found = _ten([torch.tensor(plain * scale, dtype=torch.float32)])[0]
    exact = np.array(_exact(plain)) * np.array([scale, scale**2, *[scale] * 5, 1, 1, 1])
    assert found[[0, 1, 3, 4]] == pytest.approx(exact[[0, 1, 3, 4]], rel=1e-4)
    assert found[[7, 8, 9]] == pytest.approx(exact[[7, 8, 9]], rel=1e-3)
    slack = 1e-6 if count <= SAMPLE else 0.3  # a sample of 256: a few standard errors
    assert found[[2, 5, 6]] == pytest.approx(exact[[2, 5, 6]], rel=slack)


def test_shift(way: str) -> None:
    x = torch.tensor(1 + 1e-3 * _gamma(3000), dtype=torch.float32)
    found, exact = _ten([x])[0], _exact(x.numpy())
    assert found[1] == pytest.approx(exact[1], rel=1e-4)
    assert found[7:9] == pytest.approx(exact[7:9], rel=1e-3)


def test_quartiles_of_a_large_tensor_are_near(way: str) -> None:
    x = _randn(200_000)
    found = dict(zip(NAMES, _ten([x])[0], strict=True))
    assert found["median"] == pytest.approx(0.0, abs=0.25)
    assert found["q1"] == pytest.approx(-0.674, abs=0.3)
    assert found["q3"] == pytest.approx(0.674, abs=0.3)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 0.0, 0.0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        ([2.5, 2.5], [2.5, 0, 2.5, 2.5, 2.5, 2.5, 2.5, 0, 0, 0]),
        ([-7.0], [-7, 0, -7, -7, -7, -7, -7, 0, 0, 0]),
        ([0.0, -0.0, 1.0, -1.0], [0, 0.5, 0, -1, 1, -1, 0, 0, -1, 0.5]),
    ],
)
def test_special_values(way: str, values: list[float], expected: list[float]) -> None:
    assert _ten([torch.tensor(values)])[0] == pytest.approx(expected, abs=1e-6)


def test_rows(way: str) -> None:
    """Several tensors in a row, an empty tensor, a row of empty tensors, a row of none."""
    a, b, c = _randn(50, 4), _randn(7, seed=1), _randn(30, seed=2) * 5
    tensors = [a, b, torch.empty(0), torch.empty(0, 3), c]
    found = _ten(tensors, [0, 0, 0, 1, 3], 5)
    together = np.concatenate([a.reshape(-1).numpy(), b.numpy()])
    assert found[0] == pytest.approx(_exact(together), rel=1e-4, abs=1e-6)
    assert found[3] == pytest.approx(_exact(c.numpy()), rel=1e-4, abs=1e-6)
    assert np.isnan(found[[1, 2, 4]]).all()


def test_nothing_at_all(way: str) -> None:
    assert np.isnan(_ten([], [], 3)).all()


def test_the_other_columns(way: str) -> None:
    a, b = _randn(40) + 3, _randn(9, seed=1)
    found = _columns([a, b, torch.tensor([1.0, NAN]), torch.full((2,), NAN)], [0, 0, 1, 2], 4)
    both = torch.cat([a, b]).double()
    assert found["norm"][0] == pytest.approx(float(both.norm()), rel=1e-6)
    assert found["mean_abs"][0] == pytest.approx(float(both.abs().mean()), rel=1e-6)
    assert found["max_abs"][0] == pytest.approx(float(both.abs().max()), rel=1e-6)
    assert found["norm"][1:] == pytest.approx([INF, INF, NAN], nan_ok=True)
    assert found["nonfinite"] == pytest.approx([0.0, 1.0, 1.0, NAN], nan_ok=True)


def test_norms_of_rows(way: str) -> None:
    a, b, c = _randn(40), _randn(9, seed=1), torch.tensor([1.0, NAN])
    tensors, rows = [a, b, c, torch.empty(0)], np.array([0, 0, 2, 3])
    (norms, bad), total = _reader(5).norms(tensors, rows, native.vectors_of(tensors))
    true = float(torch.cat([a, b]).double().norm())
    assert norms == pytest.approx([true, NAN, INF, 0.0, NAN], rel=1e-6, nan_ok=True)
    assert bad == pytest.approx([0.0, NAN, 1.0, 0.0, NAN], nan_ok=True)
    assert total == INF


def test_norms_of_tensors(way: str) -> None:
    tensors = [_randn(33), _randn(5000), torch.tensor(3.0), torch.empty(0), torch.zeros(4)]
    assert _norms(tensors) == pytest.approx([float(t.double().norm()) for t in tensors], rel=1e-6)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_norms_of_non_finite_tensors(way: str, bad: float) -> None:
    assert _norms([torch.tensor([1.0, bad]), torch.tensor([3.0, 4.0])]).tolist() == [INF, 5.0]


@pytest.mark.parametrize("scale", [1e-16, 1e-12, 1e12, 1e19, 1e25, 1e37])
def test_norms_at_any_scale(way: str, scale: float) -> None:
    tensors = [_randn(10) * scale, _randn(4000, seed=1)]
    assert _norms(tensors) == pytest.approx([float(t.double().norm()) for t in tensors], rel=1e-5)


@pytest.mark.parametrize("scale", [1e-25, 1e-37])
def test_norms_of_vanished_gradients(way: str, scale: float) -> None:
    tensors = [_randn(10) * scale, _randn(4000, seed=1)]
    true = np.array([float(t.double().norm()) for t in tensors])
    assert _norms(tensors) / true == pytest.approx([1.0, 1.0], rel=1e-4)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_non_finite_values_are_left_out(way: str, bad: float) -> None:
    x = torch.tensor([1.0, bad, 2.0, 4.0, bad, 7.0])
    found = _ten([x, torch.ones(3)], [0, 1], 2)
    expected = _exact(np.array([1.0, 2.0, 4.0, 7.0]))
    assert found[0].tolist() == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert found[1][0] == 1.0


def test_a_row_of_nothing_but_nan(way: str) -> None:
    assert np.isnan(_ten([torch.full((5,), NAN)])).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions(way: str, dtype: torch.dtype) -> None:
    x = _randn(200).to(dtype)
    assert _ten([x])[0] == pytest.approx(_exact(x.double().numpy()), rel=1e-4, abs=1e-6)
    assert _norms([x, x.float()]) == pytest.approx([float(x.double().norm())] * 2, rel=1e-5)


def test_complex(way: str) -> None:
    x = torch.complex(_randn(60), _randn(60, seed=1))
    parts = torch.view_as_real(x).numpy()
    assert _ten([x])[0] == pytest.approx(_exact(parts), rel=1e-4, abs=1e-6)
    assert _norms([x])[0] == pytest.approx(float(x.abs().norm()), rel=1e-6)


def test_memory_that_is_not_contiguous(way: str) -> None:
    x = _randn(20, 10).t()[::2]
    assert _ten([x])[0] == pytest.approx(_exact(x.numpy()), rel=1e-4, abs=1e-6)


def test_sparse_values_count_their_zeros(way: str) -> None:
    dense = torch.zeros(40, 3)
    dense[[2, 5, 9]] = _randn(3, 3) + 2
    sparse = dense.to_sparse(1)
    found, exact = _ten([sparse])[0], _exact(dense.numpy())
    assert found == pytest.approx(exact, rel=1e-4, abs=1e-6)
    assert _norms([sparse])[0] == pytest.approx(float(dense.norm()))


def test_sparse_next_to_dense_in_one_row(way: str) -> None:
    dense = torch.zeros(10, 2)
    dense[4] = torch.tensor([1.0, -2.0])
    bias = torch.tensor([3.0, 4.0])
    found = _ten([dense.to_sparse(1), bias], [0, 0], 1)[0]
    exact = _exact(np.concatenate([dense.reshape(-1).numpy(), bias.numpy()]))
    assert found[[0, 1, 3, 4, 7, 8, 9]] == pytest.approx(
        np.array(exact)[[0, 1, 3, 4, 7, 8, 9]], rel=1e-4
    )


def test_a_sparse_tensor_that_stores_nothing_is_all_zeros(way: str) -> None:
    sparse = torch.zeros(4, 3).to_sparse(1)
    assert _ten([sparse])[0].tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]


def test_sparse_sizes_that_change_at_every_step(way: str) -> None:
    """More plans than are kept: the result does not come from somebody else's plan."""
    reader = _reader(1)
    for stored in range(1, 25):
        dense = torch.zeros(30)
        dense[:stored] = float(stored)
        found = reader.statistics([dense.to_sparse()], np.array([0]), None)
        assert found["zero"][0] == pytest.approx(1 - stored / 30)
        assert found["mean"][0] == pytest.approx(stored * stored / 30)


def test_both_ways_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    if native.kernel is None:
        pytest.skip("the native kernel was not built")
    shapes = [(64, 300), (300,), (1,), (0,), (5000,), (3, 4, 5, 6), (2047,), (2048,), (2049,)]
    tensors = [
        _randn(*shape, seed=place) * 10.0 ** (place - 4) for place, shape in enumerate(shapes)
    ]
    rows = [0, 0, 1, 1, 2, 3, 4, 5, 6]
    fast, fast_norms = _ten(tensors, rows, 7), _norms(tensors)
    monkeypatch.setattr(native, "kernel", None)
    slow, slow_norms = _ten(tensors, rows, 7), _norms(tensors)
    assert fast_norms == pytest.approx(slow_norms, rel=1e-5)
    exact = [1, 3, 4, 9]  # variance, extremes, zeros
    assert fast[:, exact] == pytest.approx(slow[:, exact], rel=1e-4)
    deviation = np.maximum(np.sqrt(slow[:, 1]), 1e-6)
    assert fast[:, 0] / deviation == pytest.approx(slow[:, 0] / deviation, rel=1e-6, abs=1e-5)
    assert fast[:, 7:9] == pytest.approx(slow[:, 7:9], rel=1e-4, abs=1e-4)
    one_tensor = [1, 2, 3, 4, 5, 6]  # rows of which both take the same sample
    assert fast[one_tensor][:, [2, 5, 6]].tolist() == slow[one_tensor][:, [2, 5, 6]].tolist()
