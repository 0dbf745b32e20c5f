from __future__ import annotations

import statistics

import pytest

from paramedic.probe.median import median


@pytest.mark.parametrize("values", [[3.0], [2.0, 1.0], [5, 1, 4], [0.5, 2.5, 1.0, 9.0]])
def test_it_is_that_of_python(values: list[float]) -> None:
    assert median(iter(values)) == statistics.median(values)
