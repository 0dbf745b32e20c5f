"""Which faults there are, and how they are chosen."""

from __future__ import annotations

from typing import Any

import pytest

from paramedic.diagnose.rules import rules
from paramedic.inject.discovery import choose, faults, find, nearest
from paramedic.inject.fault import InjectionError

KNOWN = [
    "abnormal-data", "dead-input", "dying-relu", "exploding-gradient", "leaking-batches",
    "learning-rate-too-high", "learning-rate-too-low", "missing-zero-grad", "non-finite",
    "saturated-activation", "uninformative-labels", "unnormalised-inputs", "untrained-parameters",
    "vanishing-gradient", "wrong-mode",
]  # fmt: skip


def test_all_faults_are_found() -> None:
    assert [kind.slug for kind in faults()] == KNOWN


def test_each_is_named_after_the_detector_that_it_wakes_if_it_can_be() -> None:
    detectors = {kind.slug for kind in rules()}
    for kind in faults():
        assert kind.wakes is None or kind.wakes in detectors
        assert kind.neighbours <= detectors
        if kind.slug in detectors:
            assert kind.wakes == kind.slug
        assert kind.__module__.endswith(kind.slug.replace("-", "_"))
        assert kind.__doc__


def test_names_are_unique() -> None:
    names = [name for kind in faults() for name in (kind.slug, *kind.aliases)]
    assert len(names) == len(set(names))


def test_the_papers_names_are_known() -> None:
    assert find("gradient-explosion") is find("exploding-gradient")
    assert find("gradient-vanishing") is find("vanishing-gradient")


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(InjectionError, match=r"no fault `dying-rellu` \(did you mean `dying-relu`"):
        find("dying-rellu")
    with pytest.raises(InjectionError, match="no fault `xyz`; there are abnormal-data, "):
        find("xyz")


def test_settings_go_to_the_faults_that_have_them() -> None:
    first, second = choose(["exploding-gradient", "dying-relu"], {"factor": 5, "amount": 2})
    assert first == find("exploding-gradient")(factor=5.0)
    assert second == find("dying-relu")(amount=2.0)


def test_one_layer_or_several() -> None:
    (one,) = choose(["exploding-gradient"], {"layers": "0"})
    (two,) = choose(["exploding-gradient"], {"layers": ["0", "3"]})
    assert (one.layers, two.layers) == (("0",), ("0", "3"))


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        ([], {}, "at least one fault"),
        (["non-finite", "nan"], {}, "`non-finite` is named twice"),
        (["non-finite"], {"layr": "0"}, r"no setting `layr` \(did you mean `layer`\?\)"),
        (["dead-input"], {"q": 1}, "no setting `q`; there are none"),
        (["exploding-gradient"], {"factor": "x"}, "must be of type float like its default 20.0"),
        (["exploding-gradient"], {"factor": True}, "got True"),
        (["exploding-gradient"], {"layers": 3}, "must be of type names"),
        (["non-finite"], {"layer": 3}, "must be of type str"),
    ],
)
def test_what_cannot_be_is_said(names: list[str], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InjectionError, match=message):
        choose(names, settings)


def test_the_nearest_of_none() -> None:
    assert nearest("a", []) == "; there are none"
