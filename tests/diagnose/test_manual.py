from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from paramedic.diagnose.detector import Detector
from paramedic.diagnose.manual import HEADINGS, page_of, rule_set_of, summary_of
from paramedic.diagnose.rules import DEFAULT, rule_sets, rules
from tests.diagnose.scripted import PAGE, Scripted, Silent

EVERY = [kind for name in rule_sets() for kind in rules(name)]


def test_the_page_is_the_docstring_and_the_thresholds() -> None:
    page = page_of(Silent)
    assert (page.code, page.slug, page.title) == ("X001", "silent-layer", "Silent layer")
    assert page.summary == "Something is silent that should be heard."
    assert tuple(page.sections) == HEADINGS
    assert "nn.Linear(2, 2))" in page.sections["Example"]
    assert page.sections["References"] == "- Nobody, 2020."
    assert [one.name for one in page.thresholds] == ["quiet", "share", "frames"]
    assert page.thresholds[0].default == 1e-12
    assert page.thresholds[0].meaning == "variance below which a layer is silent"
    assert page.thresholds[0].source == "a guess"
    assert (page.needs, page.explains) == (("act_var",), ("loss-plateau",))
    assert (page.excludes, page.rule_set, page.family) == (("loud-layer",), DEFAULT, "other")


def test_a_heading_within_code_is_code() -> None:
    assert "## not a heading" in page_of(Silent).sections["Example"]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_missing_section_is_named_with_its_detector(heading: str) -> None:
    class Lacking(Silent):
        __doc__ = PAGE.replace(f"## {heading}", "## Something else")

    with pytest.raises(ValueError, match=rf"X001.*Lacking.*## {heading[:-1]}"):
        page_of(Lacking)


def test_an_empty_section_is_missing() -> None:
    class Empty(Silent):
        __doc__ = PAGE.replace("Silence teaches nothing.", "  ")

    with pytest.raises(ValueError, match="Why is this bad"):
        page_of(Empty)


def test_a_section_must_not_come_twice() -> None:
    class Twice(Silent):
        __doc__ = PAGE + "\n## Example\nagain"

    with pytest.raises(ValueError, match="two sections `Example`"):
        page_of(Twice)


def test_what_dataclass_writes_is_no_docstring() -> None:
    @dataclass(frozen=True)
    class Mute(Scripted):
        loud: float = 1.0

    with pytest.raises(ValueError, match=r"Mute.*no docstring"):
        page_of(Mute)


def test_a_threshold_must_be_explained() -> None:
    @dataclass(frozen=True)
    class Unexplained(Silent):
        __doc__ = PAGE
        level: float = field(default=1.0)

    with pytest.raises(ValueError, match="`level`"):
        page_of(Unexplained)


def test_titles_read_well() -> None:
    assert page_of(type("A", (Silent,), {"slug": "dying-relu", "__doc__": PAGE})).title == (
        "Dying ReLU"
    )
    assert page_of(type("A", (Silent,), {"slug": "non-finite", "__doc__": PAGE})).title == (
        "Non-finite"
    )


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.code)
def test_every_detector_has_its_page(kind: type[Detector]) -> None:
    page = page_of(kind)
    assert page.summary == summary_of(kind)
    assert page.summary.endswith(".")
    assert kind in rules(rule_set_of(kind))
