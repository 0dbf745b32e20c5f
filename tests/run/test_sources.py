from __future__ import annotations

from paramedic.run.places import Place
from paramedic.run.sources import sources
from paramedic.types import Finding, Severity

PLACES = {name: Place("t.py", line) for line, name in enumerate(
    ["optimizer", "loss", "backward", "step", "model", "mode"], 1)}  # fmt: skip
LAYERS = {"a": Place("t.py", 20), "b.c": Place("t.py", 21), "Net": Place("t.py", 22)}


def _finding(slug: str, *where: str, **evidence: object) -> Finding:
    return Finding("X001", slug, Severity.WARNING, 0.9, "", 1, where, evidence)


def _lines(finding: Finding) -> list[int]:
    return [place.line for place in sources(finding, LAYERS, PLACES)]


def test_the_most_telling_line_comes_first() -> None:
    assert _lines(_finding("learning-rate-too-low"))[0] == 1
    assert _lines(_finding("missing-zero-grad"))[:2] == [3, 4]
    assert _lines(_finding("wrong-mode"))[0] == 6
    assert _lines(_finding("vanishing-gradient", "a", "b.c"))[:2] == [20, 21]


def test_a_part_without_a_line_is_where_the_whole_was_made() -> None:
    assert _lines(_finding("dying-relu", "b.c.inner.copy"))[0] == 21


def test_the_origin_of_a_nan() -> None:
    assert _lines(_finding("non-finite", origin="input"))[0] == 5
    assert _lines(_finding("non-finite", origin="loss"))[0] == 2


def test_no_line_twice() -> None:
    lines = _lines(_finding("loss-plateau", "a", "a"))
    assert len(lines) == len(set(lines))
