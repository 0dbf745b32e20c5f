from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramedic.prescribe.calibration import brier, expected_calibration_error, reliability


def test_a_confidence_that_keeps_its_word_has_no_error() -> None:
    pairs = [(0.8, place < 8) for place in range(10)]
    assert expected_calibration_error(pairs) == pytest.approx(0.0)
    (row,) = reliability(pairs)
    assert (row.low, row.high, row.count) == (0.8, 0.9, 10)
    assert (row.confidence, row.worked) == (pytest.approx(0.8), pytest.approx(0.8))


def test_the_error_is_weighted_by_how_much_was_claimed() -> None:
    pairs = [(0.95, False)] * 3 + [(0.55, True)]
    assert expected_calibration_error(pairs) == pytest.approx((3 * 0.95 + 0.45) / 4)
    assert brier([(1.0, False), (0.5, True)]) == pytest.approx((1 + 0.25) / 2)


def test_certainty_is_in_the_last_stretch() -> None:
    (row,) = reliability([(1.0, True)])
    assert row.low == pytest.approx(0.9)


def test_drawn_from_its_own_confidence_the_error_is_small() -> None:
    generator = np.random.default_rng(0)
    claims = generator.uniform(0.5, 1.0, 20_000)
    pairs = [(float(one), bool(generator.random() < one)) for one in claims]
    assert expected_calibration_error(pairs) < 0.02


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1), st.integers(1, 20))
def test_the_error_is_a_share_and_nothing_is_lost(
    pairs: list[tuple[float, bool]], bins: int
) -> None:
    assert 0 <= expected_calibration_error(pairs, bins) <= 1
    assert sum(row.count for row in reliability(pairs, bins)) == len(pairs)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1 but got 1\.5"):
        reliability([(1.5, True)])
    with pytest.raises(ValueError, match="at least 1 but got 0"):
        reliability([], bins=0)
    with pytest.raises(ValueError, match="nothing to calibrate"):
        expected_calibration_error([])
    with pytest.raises(ValueError, match="nothing to calibrate"):
        brier([])
