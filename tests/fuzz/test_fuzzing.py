"""A few hundred mutants of all formats; `make fuzz` reads ten thousand."""

from __future__ import annotations

from tests.fuzz.formats import FORMATS
from tests.fuzz.fuzzing import fuzz


def test_a_mutant_is_read_or_refused_with_one_clear_error() -> None:
    totals = fuzz(60 * len(FORMATS), seed=0)
    assert totals.problems == {}
    assert totals.mutants == 60 * len(FORMATS)
    assert totals.refused > totals.mutants / 4
    assert totals.read > totals.mutants / 20
