"""The native kernel, function by function, against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from torch import Tensor, nn

from paramedic.probe import native
from paramedic.probe.moments import Moments
from paramedic.probe.native import (
    COLUMNS,
    FIELDS,
    Kernel,
    Vectors,
    is_dense,
    is_native,
    vectors_of,
)

NAN, INF = float("nan"), float("inf")
needs_kernel = pytest.mark.skipif(native.kernel is None, reason="the native kernel was not built")

# Around the size of a block, and of a vector register.
SIZES = [0, 1, 2, 15, 16, 17, 2047, 2048, 2049, 10_000]
IMAGES = [
    ((4, 5, 3, 7), torch.channels_last), ((40, 9, 8, 8), torch.channels_last),
    ((3, 5, 2, 3, 4), torch.channels_last_3d),
]  # fmt: skip


def _kernel() -> Kernel:
    assert native.kernel is not None
    return native.kernel


def _randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _moments(tensors: list[Tensor], rows: list[int], height: int) -> Moments:
    table = _kernel().moments(Vectors(tensors), np.array(rows, np.int64), height)
    assert table.shape == (FIELDS, height)
    return Moments(*table)


def _exact(values: np.ndarray) -> list[float]:
    x = np.asarray(values, np.float64)
    d = x - x.mean()
    sums = [(d**power).sum() for power in (2, 3, 4)]
    return [len(x), (x == 0).sum(), np.abs(x).sum(), x.mean(), *sums, x.min(), x.max()]


def _row(m: Moments, row: int = 0) -> list[float]:
    columns = (m.count, m.zero, m.absolute, m.mean, m.m2, m.m3, m.m4, m.low, m.high)
    return [float(column[row]) for column in columns]


@needs_kernel
@pytest.mark.parametrize("size", SIZES[1:])
def test_moments_of_one_vector(size: int) -> None:
    x = _randn(size).exp()
    assert _row(_moments([x], [0], 1)) == pytest.approx(_exact(x.numpy()), rel=1e-4, abs=1e-9)


@needs_kernel
@settings(deadline=None, max_examples=60)
@given(hnp.arrays(np.float32, st.integers(1, 100), elements=st.floats(-1e3, 1e3, width=32)))
def test_moments_of_any_vector(x: np.ndarray) -> None:
    found, exact = _row(_moments([torch.from_numpy(x)], [0], 1)), _exact(x)
    spread, n = exact[-1] - exact[-2], exact[0]
    room = [0, 0, exact[2], spread + abs(exact[3]), *(n * spread**p for p in (2, 3, 4)), 0, 0]
    for value, true, slack in zip(found, exact, room, strict=True):
        assert value == pytest.approx(true, rel=1e-12, abs=1e-5 * slack + 1e-30)


@needs_kernel
def test_moments_of_rows() -> None:
    tensors = [_randn(size, seed=size) for size in SIZES]
    m = _moments(tensors, [0, 0, 0, 0, 2, 2, 2, 2, 4, 4], 6)
    for row, parts in ((0, tensors[:4]), (2, tensors[4:8]), (4, tensors[8:])):
        together = torch.cat(parts).numpy()
        assert _row(m, row) == pytest.approx(_exact(together), rel=1e-4)
    for row in (1, 3, 5):
        assert m.count[row] == 0
        assert (m.low[row], m.high[row]) == (INF, -INF)


@needs_kernel
@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1e12, 1e30])
def test_moments_at_any_scale(scale: float) -> None:
    plain = _randn(3000).exp()
    found, exact = _moments([plain * scale], [0], 1), _exact(plain.numpy())
    assert found.m2[0] / scale**2 == pytest.approx(exact[4], rel=1e-4)
    assert found.m3[0] / scale**3 == pytest.approx(exact[5], rel=1e-4)
    assert found.m4[0] / scale**4 == pytest.approx(exact[6], rel=1e-4)


@needs_kernel
def test_moments_of_a_small_spread_far_from_zero() -> None:
    x = 1 + 1e-3 * _randn(5000)
    assert _moments([x], [0], 1).m2[0] == pytest.approx(_exact(x.numpy())[4], rel=1e-4)


@needs_kernel
@pytest.mark.parametrize("value", [0.0, 1.0, -2.5e-30, 1e-42, 3e38])
def test_moments_of_a_constant(value: float) -> None:
    m = _moments([torch.full((5000,), value)], [0], 1)
    assert [m.m2[0], m.m3[0], m.m4[0]] == [0.0, 0.0, 0.0]
    assert m.mean[0] == m.low[0] == m.high[0] == np.float32(value)


@needs_kernel
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_moments_leave_non_finite_values_out(bad: float) -> None:
    x = _randn(5000)
    x[[0, 100, 2047, 2048, 4999]] = bad
    m = _moments([x, torch.ones(3)], [0, 1], 2)
    assert m.bad.tolist() == [5.0, 0.0]
    assert _row(m) == pytest.approx(_exact(x[x.isfinite()].numpy()), rel=1e-4)
    assert m.mean[1] == 1.0


@needs_kernel
def test_moments_of_nothing_but_nan() -> None:
    m = _moments([torch.full((3000,), NAN)], [0], 1)
    assert (m.count[0], m.bad[0]) == (0.0, 3000.0)


@needs_kernel
def test_moments_of_extremes_whose_difference_does_not_fit() -> None:
    x = torch.tensor([3e38, -3e38, 1e38])
    m = _moments([x], [0], 1)
    assert m.m2[0] == pytest.approx(_exact(x.numpy())[4], rel=1e-5)
    assert m.bad[0] == 0


@needs_kernel
def test_a_sum_beyond_float32_stays_finite() -> None:
    assert _moments([torch.full((100,), 3e37)], [0], 1).absolute[0] == pytest.approx(3e39, rel=1e-5)


def _statistics(tensors: list[Tensor], rows: list[int], height: int) -> dict[str, np.ndarray]:
    found = _kernel().statistics(Vectors(tensors), np.array(rows, np.int64), height)
    assert found.shape == (len(COLUMNS), height)
    return dict(zip(COLUMNS, found, strict=True))


@needs_kernel
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 100, 255, 256])
def test_quartiles_of_small_vectors_are_exact(size: int) -> None:
    x = _randn(size)
    ordered = sorted(x.tolist())
    found = _statistics([x], [0], 1)
    for name, share in (("q1", 0.25), ("median", 0.5), ("q3", 0.75)):
        assert found[name][0] == ordered[math.floor(share * (size - 1))], name


@needs_kernel
def test_quartiles_of_values_that_repeat_or_are_sorted() -> None:
    halves = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0] * 20)
    tensors = [torch.arange(101.0), torch.arange(100.0, -1.0, -1.0), torch.zeros(50), halves]
    found = _statistics(tensors, [0, 1, 2, 3], 4)
    assert found["q1"].tolist() == [25.0, 25.0, 0.0, 0.0]
    assert found["median"].tolist() == [50.0, 50.0, 0.0, 1.0]
    assert found["q3"].tolist() == [75.0, 75.0, 0.0, 1.0]


@needs_kernel
def test_quartiles_of_large_vectors_come_from_an_even_sample() -> None:
    found = _statistics([torch.arange(100_000.0), torch.arange(3.0)], [0, 1], 2)
    assert found["q1"][0] == pytest.approx(25_000, rel=0.02)
    assert found["median"][0] == pytest.approx(50_000, rel=0.02)
    assert found["q3"][0] == pytest.approx(75_000, rel=0.02)
    assert found["median"][1] == 1.0


@needs_kernel
def test_quartiles_leave_non_finite_values_out() -> None:
    found = _statistics([torch.tensor([NAN, 1.0, -INF, 2.0, INF, 4.0])], [0], 1)
    assert [found[name][0] for name in ("q1", "median", "q3")] == [1.0, 2.0, 2.0]
    assert (found["norm"][0], found["nonfinite"][0]) == (INF, 1.0)


@needs_kernel
def test_quartiles_of_a_large_vector_whose_sample_is_all_nan() -> None:
    x = torch.ones(2560)
    x[::10] = NAN
    found = _statistics([x], [0], 1)
    assert found["mean"][0] == 1.0
    assert np.isnan(found["median"][0])


@needs_kernel
def test_rows_without_values_have_no_statistics() -> None:
    found = _statistics([torch.ones(3), torch.empty(0)], [0, 1], 3)
    for name, column in found.items():
        assert np.isnan(column[1:]).all(), name
        assert not np.isnan(column[0]), name


@needs_kernel
def test_statistics_follow_from_the_moments() -> None:
    tensors = [_randn(3000).exp(), _randn(50, seed=1), _randn(7, seed=2)]
    found, m = _statistics(tensors, [0, 0, 1], 2), _moments(tensors, [0, 0, 1], 2)
    variance = m.m2 / m.count
    expected = {
        "mean": m.mean, "var": variance, "min": m.low, "max": m.high,
        "skew": m.m3 / m.count / variance**1.5, "kurtosis": m.m4 / m.count / variance**2 - 3,
        "zero": m.zero / m.count, "mean_abs": m.absolute / m.count,
        "max_abs": np.maximum(-m.low, m.high), "nonfinite": m.bad,
        "norm": np.sqrt(m.m2 + m.count * m.mean**2),
    }  # fmt: skip
    for name, column in expected.items():
        assert found[name] == pytest.approx(column, rel=1e-6), name


@needs_kernel
@pytest.mark.parametrize("scale", [1e-38, 1e-25, 1e-12, 1.0, 1e12, 1e25, 1e36])
def test_norms_at_any_scale(scale: float) -> None:
    tensors = [_randn(size, seed=size) * scale for size in SIZES]
    true = np.array([float(tensor.double().norm()) for tensor in tensors])
    (norms, bad), total = _kernel().norms(Vectors(tensors), np.arange(len(SIZES)), len(SIZES))
    assert norms[0] == 0.0
    assert norms[1:] / true[1:] == pytest.approx(np.ones(len(SIZES) - 1), rel=1e-5)
    assert bad.tolist() == [0.0] * len(SIZES)
    assert total == pytest.approx((true**2).sum(), rel=1e-5)


@needs_kernel
@pytest.mark.parametrize("bad", [NAN, INF])
def test_norms_are_not_finite_only_where_a_value_is_not(bad: float) -> None:
    x = torch.ones(5000)
    x[4000] = bad
    tensors = [torch.ones(4), torch.ones(5), x, torch.full((1,), 3e38)]
    (norms, flags), total = _kernel().norms(Vectors(tensors), np.array([0, 0, 2, 3]), 4)
    assert norms == pytest.approx([3.0, NAN, INF, 3e38], nan_ok=True)
    assert flags == pytest.approx([0.0, NAN, 1.0, 0.0], nan_ok=True)
    assert total == INF


@needs_kernel
def test_levels() -> None:
    bad = torch.ones(3000)
    bad[2500] = NAN
    tensors = [_randn(size, seed=size) + 1000 for size in SIZES[1:]]
    mean, variance, largest, nonfinite = _kernel().levels(Vectors([*tensors, bad]))
    for place, tensor in enumerate(tensors):
        x = tensor.double().numpy()
        assert mean[place] == pytest.approx(x.mean(), rel=1e-6)
        assert variance[place] == pytest.approx(x.var(), rel=1e-4)
        assert largest[place] == pytest.approx(np.abs(x).max(), rel=1e-6)
    assert nonfinite.tolist() == [0.0] * len(tensors) + [1.0]
    assert largest[-1] == INF


@needs_kernel
def test_constant_features() -> None:
    x = _randn(7, 5, 3)
    assert _kernel().input(x, 64)[6] == 0
    x[:, 2, 1] = 4.0
    x[:, 0, 0] = 0.0
    x[3, 0, 0] = -0.0
    assert _kernel().input(x, 64)[6] == 2
    x[6, 2, 1] = 5.0
    assert _kernel().input(x, 64)[6] == 1
    assert _kernel().input(torch.full((4, 2), NAN), 64)[6] == 0
    assert _kernel().input(torch.full((4, 2), INF), 64)[6] == 2


@needs_kernel
@pytest.mark.parametrize("size", SIZES[1:])
def test_finite(size: int) -> None:
    finite = _kernel().finite
    for bad in (NAN, INF, -INF):
        x = torch.full((size,), 3e38)
        assert finite(x.data_ptr(), size)
        x[size // 2] = bad
        assert not finite(x.data_ptr(), size)


@needs_kernel
@pytest.mark.parametrize("stride", [1, 3, 7])
def test_keep_and_moved(stride: int) -> None:
    before = [_randn(size, seed=size) for size in (10, 0, 23, 1)]
    after = [tensor + 0.1 * _randn(len(tensor), seed=99) for tensor in before]
    rows = np.array([0, 0, 0, 2])
    kept = _kernel().keep(Vectors(before), stride)
    assert kept.tolist() == torch.cat([tensor[::stride] for tensor in before]).tolist()
    moved, old = _kernel().moved(Vectors(after), rows, stride, kept, 3)
    for row, places in ((0, (0, 1, 2)), (1, ()), (2, (3,))):
        far = sum(float((after[i] - before[i])[::stride].double().pow(2).sum()) for i in places)
        base = sum(float(before[i][::stride].double().pow(2).sum()) for i in places)
        assert (moved[row], old[row]) == pytest.approx((far, base), rel=1e-5)


@needs_kernel
def test_small_moves_of_large_weights_are_exact() -> None:
    before = torch.full((1000,), 1000.0)
    after = before.clone()
    after[::2] += 2.0**-10
    kept = _kernel().keep(Vectors([before]), 1)
    moved, old = _kernel().moved(Vectors([after]), np.array([0]), 1, kept, 1)
    assert math.sqrt(moved[0] / old[0]) == pytest.approx(2.0**-10 / 1000 / math.sqrt(2), rel=1e-9)


@needs_kernel
@pytest.mark.parametrize("shape", [(6, 9), (2, 3, 9), (4, 9, 3, 3), (2, 9, 1, 2, 2), (1, 9)])
def test_dead_units(shape: tuple[int, ...]) -> None:
    unit = shape.index(9)
    x = (_randn(*shape).abs() + 0.1).movedim(unit, 0)
    x[[1, 4]] = 0.0
    x[7] = -0.5
    x = x.movedim(0, unit).contiguous()
    axes = tuple(axis for axis in range(len(shape)) if axis != unit)
    assert _kernel().dead(x, unit) == int((x.numpy().max(axis=axes) <= 0).sum())


@needs_kernel
@pytest.mark.parametrize(("shape", "layout"), IMAGES)
def test_images_with_their_channels_last(shape: tuple[int, ...], layout: Any) -> None:
    x = _randn(*shape)
    x[:, [1, 2]] = -1.0
    last = x.contiguous(memory_format=layout)
    assert not last.is_contiguous()
    assert is_dense(last)
    assert not is_native(last)
    kernel = _kernel()
    assert kernel.dead(last, 1) == kernel.dead(x, 1) == 2
    assert kernel.input(last, 3) == pytest.approx(kernel.input(x, 3), rel=1e-5)
    assert kernel.outside(last, -0.5, 0.5) == kernel.outside(x, -0.5, 0.5)
    both = kernel.levels(Vectors([x, last]))
    assert both[:, 0] == pytest.approx(both[:, 1], rel=1e-5)
    assert vectors_of([last]) is not None


@needs_kernel
@pytest.mark.parametrize("shape", [(5, 1), (1, 5), (1, 1), (3, 1, 4, 4)])
def test_dead_units_along_axes_of_one(shape: tuple[int, ...]) -> None:
    assert _kernel().dead(torch.ones(shape), 1) == 0
    assert _kernel().dead(torch.zeros(shape), 1) == shape[1]


@needs_kernel
def test_dead_units_of_one_feature_cut_out_of_a_larger_tensor() -> None:
    """The stride of an axis of length one may be anything in a contiguous tensor."""
    x = torch.ones(3, 8)[:1, :4].t()
    assert x.is_contiguous()
    assert x.shape == (4, 1)
    assert _kernel().dead(x, 1) == 0


@needs_kernel
def test_a_unit_of_nan_is_not_dead() -> None:
    assert _kernel().dead(torch.tensor([[NAN, 0.0], [0.0, 0.0]]), 1) == 1


@needs_kernel
@pytest.mark.parametrize("size", SIZES)
def test_outside(size: int) -> None:
    x = torch.rand(size, generator=torch.Generator().manual_seed(size))
    expected = int(((x < 0.25) | (x > 0.75)).sum())
    assert _kernel().outside(x, 0.25, 0.75) == expected


def test_which_tensors_are_native() -> None:
    x = _randn(4, 6)
    parameter = nn.Parameter(x.clone())

    class Sub(Tensor):
        pass

    assert is_native(x)
    assert is_native(parameter)
    assert is_native(torch.tensor(1.0))
    assert not is_native(x.t())
    assert not is_native(x[:, ::2])
    assert not is_native(x.double())
    assert not is_native(x.half())
    assert not is_native(x.to_sparse())
    assert not is_native(x.long())
    assert not is_native(x.as_subclass(Sub))
    assert not is_native(torch.empty(3, device="meta"))


def test_which_tensors_are_dense() -> None:
    images = _randn(2, 3, 4, 5)
    assert is_dense(images)
    assert is_dense(images.contiguous(memory_format=torch.channels_last))
    for odd in (images.transpose(0, 1), images[:, :, ::2], images.half(), _randn(4, 6).t()):
        assert not is_dense(odd)
    assert not is_dense(_randn(4, 6).to_sparse())


@needs_kernel
def test_vectors_of_native_tensors_only() -> None:
    vectors = vectors_of([_randn(3), nn.Parameter(_randn(2, 2)), torch.empty(0)])
    assert vectors is not None
    assert vectors.sizes.tolist() == [3, 4, 0]
    for odd in (_randn(2).half(), _randn(4, 6).t(), _randn(2).to_sparse(), torch.tensor([1])):
        assert vectors_of([_randn(3), odd]) is None
    empty = vectors_of([])
    assert empty is not None
    assert len(empty) == 0


def test_no_vectors_without_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "kernel", None)
    assert vectors_of([_randn(3)]) is None


def test_vectors_hold_their_tensors() -> None:
    vectors = Vectors([_randn(3), _randn(2, 2)])
    assert len(vectors) == 2
    assert vectors.sizes.tolist() == [3, 4]


@pytest.mark.parametrize("setting", ["off", "OFF ", "0", "false", "no"])
def test_switched_off_by_the_environment(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAMEDIC_NATIVE", setting)
    assert native._load() is None


@needs_kernel
def test_switched_on_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PARAMEDIC_NATIVE", raising=False)
    assert isinstance(native._load(), Kernel)
