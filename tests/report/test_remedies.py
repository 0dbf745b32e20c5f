from __future__ import annotations

from pathlib import Path

from paramedic.prescribe.cures import cures
from paramedic.report.remedies import page

FILE = Path(__file__).parents[2] / "docs" / "remedies.md"


def test_the_page_is_fresh() -> None:
    assert FILE.read_text(encoding="utf-8") == page(), "run `make catalogue`"


def test_every_cure_and_its_ground_is_on_the_page() -> None:
    text = page()
    for cure in cures():
        assert f"- `{cure.slug}` ({cure.family}, {cure.safety})" in text
        for problem in cure.against:
            assert f"| [{problem}](catalogue/{problem}.md) | `{cure.slug}` |" in text
