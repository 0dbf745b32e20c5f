"""Reading tensors in chunks: where the cuts fall must not show in the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from paramedic.probe import chunks
from paramedic.probe.chunks import Survey, row_moments
from paramedic.probe.moments import Moments
from paramedic.probe.native import SAMPLE


def _randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _read(
    tensors: list[Tensor], rows: list[int], height: int
) -> tuple[Moments, np.ndarray, np.ndarray]:
    survey = Survey([tensor.numel() for tensor in tensors], rows, height)
    moments, sample = survey.read(tensors)
    return moments, sample, survey.sample_sizes


def _exact(values: Any) -> list[float]:
    x = np.asarray(values, np.float64)
    d = x - x.mean()
    powers = [(d**power).mean() for power in (2, 3, 4)]
    return [len(x), x.mean(), *powers, x.min(), x.max(), np.abs(x).mean(), (x == 0).sum()]


def _row(moments: Moments, row: int) -> list[float]:
    m, n = moments, moments.count[row]
    central = [part[row] / n for part in (m.m2, m.m3, m.m4)]
    return [n, m.mean[row], *central, m.low[row], m.high[row], m.absolute[row] / n, m.zero[row]]


@settings(deadline=None, max_examples=60)
@given(
    chunk=st.integers(1, 50),
    sizes=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3)), min_size=1, max_size=8),
)
def test_any_cut_of_any_list_of_tensors(chunk: int, sizes: list[tuple[int, int]]) -> None:
    """Several tensors per row, empty tensors and rows without any, cut at any place."""
    rows = sorted(row for _, row in sizes)
    tensors = [_randn(size, seed=place) for place, (size, _) in enumerate(sizes)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "CHUNK", chunk)
        moments, sample, taken = _read(tensors, rows, 5)
    for row in range(5):
        parts = [tensor for tensor, its in zip(tensors, rows, strict=True) if its == row]
        values = torch.cat(parts).numpy() if parts else np.empty(0)
        assert taken[row] == len(values)
        assert np.isinf(sample[row, len(values) :]).all()
        assert sample[row, : len(values)].tolist() == values.tolist()
        if len(values):
            assert _row(moments, row) == pytest.approx(_exact(values), rel=1e-4, abs=1e-4)
        else:
            assert moments.count[row] == 0


def test_a_layer_over_several_chunks_is_one_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    x = _randn(10_007)
    whole = _row(_read([x], [0], 1)[0], 0)
    monkeypatch.setattr(chunks, "CHUNK", 1000)
    assert _row(_read([x], [0], 1)[0], 0) == pytest.approx(whole, rel=1e-5)
    assert whole == pytest.approx(_exact(x.numpy()), rel=1e-4)


def test_small_layers_are_sampled_in_full_and_large_ones_evenly() -> None:
    small, large = _randn(SAMPLE), torch.arange(100_000, dtype=torch.float32)
    _, sample, taken = _read([small, large], [0, 1], 2)
    assert taken[0] == SAMPLE
    assert sample[0].tolist() == small.tolist()
    kept = sample[1, : taken[1]]
    assert 200 < taken[1] <= SAMPLE
    assert len(set(np.diff(kept).tolist())) == 1  # a fixed stride
    assert kept[0] == 0
    assert kept[-1] > 99_000


def test_the_sample_covers_all_tensors_of_a_row() -> None:
    _, sample, taken = _read([torch.zeros(5000), torch.ones(5000)], [0, 0], 1)
    assert sample[0, : taken[0]].mean() == pytest.approx(0.5, abs=0.02)


def test_the_sample_of_a_layer_of_very_many_chunks_reaches_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chunks, "CHUNK", 100)
    _, sample, taken = _read([torch.arange(20_000, dtype=torch.float32)], [0], 1)
    assert sample[0, : taken[0]].max() > 19_000


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_next_to_float32(dtype: torch.dtype) -> None:
    a, b = _randn(300).to(dtype), _randn(300, seed=1)
    moments, sample, _ = _read([a, b], [0, 1], 2)
    assert _row(moments, 0) == pytest.approx(_exact(a.double().numpy()), rel=1e-4)
    assert _row(moments, 1) == pytest.approx(_exact(b.numpy()), rel=1e-4)
    assert sample.dtype == np.float32


def test_a_survey_keeps_nothing_from_one_reading_to_the_next() -> None:
    survey = Survey([4], [0], 1)
    survey.read([torch.full((4,), float("nan"))])
    moments, sample = survey.read([torch.tensor([1.0, 2.0, 3.0, 4.0])])
    assert moments.bad[0] == 0
    assert moments.mean[0] == 2.5
    assert sample[0, :4].tolist() == [1.0, 2.0, 3.0, 4.0]


def test_the_tensors_are_not_written_to() -> None:
    x = torch.tensor([1.0, float("nan"), 3.0])
    _read([x], [0], 1)
    assert x[0] == 1.0
    assert x[1].isnan()
    assert x._version == 0


def test_non_finite_values_are_counted_in_their_row() -> None:
    nan, inf = float("nan"), float("inf")
    tensors = [torch.tensor([1.0, nan, inf, 0.0]), torch.tensor([1.0, 2.0]), torch.tensor([-inf])]
    moments, _, _ = _read(tensors, [0, 1, 2], 3)
    assert moments.bad.tolist() == [2.0, 0.0, 1.0]
    assert moments.zero.tolist() == [1.0, 0.0, 0.0]
    assert moments.high[0] == 1.0
    assert moments.mean[1] == 1.5


def test_bad_values_in_one_chunk_of_a_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.ones(100)
    x[[3, 50, 51]] = float("nan")
    monkeypatch.setattr(chunks, "CHUNK", 10)
    assert _read([x], [0], 1)[0].bad[0] == 3.0


def test_a_sum_that_overflows_is_not_a_bad_value() -> None:
    moments, _, _ = _read([torch.full((100,), 3e38), torch.ones(2)], [0, 1], 2)
    assert moments.bad.tolist() == [0.0, 0.0]
    assert moments.mean[0] == pytest.approx(3e38, rel=1e-6)


def test_the_other_statistics_are_over_the_finite_values() -> None:
    x = torch.tensor([1.0, float("nan"), 2.0, float("inf"), 4.0])
    moments, _, _ = _read([x], [0], 1)
    assert _row(moments, 0) == pytest.approx(_exact([1.0, 2.0, 4.0]), rel=1e-5)


def test_a_row_of_non_finite_values_only_has_no_value() -> None:
    moments, _, _ = _read([torch.full((4,), float("nan"))], [0], 1)
    assert moments.count[0] == 0


def test_one_vector_as_a_single_row() -> None:
    x = _randn(50).numpy()
    assert _row(row_moments(x), 0) == pytest.approx(_exact(x), rel=1e-5)
    x[3] = np.nan
    assert row_moments(x).bad.tolist() == [1.0]
    assert _row(row_moments(x), 0) == pytest.approx(_exact(np.delete(x, 3)), rel=1e-5)
