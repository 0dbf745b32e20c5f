from __future__ import annotations

from itertools import pairwise

import pytest

from paramedic.diagnose.manual import page_of
from paramedic.diagnose.rates import Rates
from paramedic.report.rendering import as_markdown, as_text
from tests.diagnose.scripted import Silent

RATES = Rates(8, 7, 6, 44, 1, 0.03, source="docs/benchmarks/detection.md")


def test_markdown_has_everything() -> None:
    text = as_markdown(page_of(Silent), RATES)
    assert text.startswith("# Silent layer (X001)\n")
    assert "| `quiet` | `1e-12` | variance below which a layer is silent | a guess |" in text
    assert "share of the steps \\| of all" in text  # does not end its column
    assert "- `act_var`: variance of the output" in text
    assert "[loss-plateau](loss-plateau.md)" in text
    assert "[loud-layer](loud-layer.md)" in text
    assert "7 of 8 (88 %)" in text
    assert "](../benchmarks/detection.md)" in text
    assert text.endswith(".\n")


def test_without_rates_both_say_so() -> None:
    assert "not measured yet" in as_markdown(page_of(Silent))
    assert "not measured yet" in as_text(page_of(Silent), 80)


def test_code_is_kept_and_indented() -> None:
    text = as_text(page_of(Silent), 80)
    assert "    model = nn.Sequential(\n        nn.Linear(2, 2))\n" in text
    assert "```" not in text
    assert "    model = nn.Linear(2, 2)\n\n  And listen.\n" in text


def test_thresholds_are_a_table() -> None:
    lines = as_text(page_of(Silent), 80).splitlines()
    assert "  quiet = 1e-12  variance below which a layer is silent [a guess]" in lines
    assert "  frames = 3     frames that must agree [experience]" in lines


def test_rates_are_in_the_text() -> None:
    assert "false alarms on healthy runs: 1 of 44 (2 %)" in as_text(page_of(Silent), 80, RATES)


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120])
def test_words_keep_to_the_width_and_sections_stand_apart(width: int) -> None:
    lines = as_text(page_of(Silent), width).splitlines()
    assert all(len(line) <= width for line in lines if "nn." not in line)
    assert not any(one == two == "" for one, two in pairwise(lines))
    wrapped = [line for line in lines if line.startswith("  - One item")]
    assert wrapped
    if width == 40:
        assert lines[lines.index(wrapped[0]) + 1].startswith("    ")


def test_a_width_of_nothing_is_survived() -> None:
    assert "silent" in as_text(page_of(Silent), 0)
