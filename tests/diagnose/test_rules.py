from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from paramedic.diagnose import rules as module
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.rules import DEFAULT, GROUP, RuleError, choose, find, rule_sets, rules
from tests.diagnose.scripted import Scripted, Silent


@dataclass(frozen=True)
class Loud(Scripted):
    """Something is loud."""

    code = "Y001"
    slug = "loud-layer"
    word: str = "hello"
    wanted: bool = False


@dataclass(frozen=True)
class Louder(Scripted):
    """Something is louder."""

    code = "Y002"
    slug = "louder-layer"


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_default", lambda: (Louder, Silent, Loud))


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the entry points of installed packages give; a test appends to it."""
    given: list[Any] = []

    def entry_points(*, group: str) -> list[Any]:
        assert group == GROUP
        return [SimpleNamespace(name="theirs", load=lambda one=one: one) for one in given]

    monkeypatch.setattr(module, "entry_points", entry_points)
    module._default.cache_clear()
    yield given
    module._default.cache_clear()


# -- discovery -------------------------------------------------------------------------------------


def test_ours_come_first_and_helpers_are_no_rule_set() -> None:
    assert rule_sets()[0] == DEFAULT
    assert {"autotrainer", "bttackler", "training-doctor"} <= set(rule_sets())
    assert not any(name.startswith(("_", "-")) for name in rule_sets())


@pytest.mark.parametrize("name", rule_sets())
def test_rules_are_found_by_walking_and_in_order(name: str) -> None:
    found = rules(name)
    assert found
    assert [kind.code for kind in found] == sorted(kind.code for kind in found)
    assert len({kind.slug for kind in found}) == len(found)
    assert all(issubclass(kind, Detector) for kind in found)


def test_no_code_or_slug_is_in_two_rule_sets() -> None:
    everything = [kind for name in rule_sets() for kind in rules(name)]
    for words in ([kind.code for kind in everything], [kind.slug for kind in everything]):
        assert len(set(words)) == len(words)


def test_an_unknown_rule_set_gets_a_hint() -> None:
    with pytest.raises(RuleError, match=r"no rule set `bttacker`.*`bttackler`"):
        rules("bttacker")
    with pytest.raises(RuleError, match="there are autotrainer"):
        rules("zzzz")


def test_a_class_or_a_module_of_others_is_found(others: list[Any]) -> None:
    package = ModuleType("theirs")
    package.Loud = Loud  # type: ignore[attr-defined]
    package.Own = type("Own", (Louder,), {"__module__": "theirs"})  # type: ignore[attr-defined]
    others += [Silent, package]
    found = rules()
    assert Silent in found
    assert package.Own in found  # type: ignore[attr-defined]
    assert Loud not in found  # only imported there


@pytest.mark.parametrize("rubbish", [3, int, lambda: None, Silent()])
def test_an_entry_point_that_is_no_detector_is_named(others: list[Any], rubbish: object) -> None:
    others.append(rubbish)
    with pytest.raises(RuleError, match=r"entry point `theirs` of `paramedic\.detectors`"):
        rules()


def test_two_detectors_must_not_share_a_code(others: list[Any]) -> None:
    others += [Silent, type("Copy", (Silent,), {})]
    with pytest.raises(RuleError, match=r"Two detectors have the code X001.*Copy"):
        rules()


def test_the_same_detector_twice_is_one(others: list[Any]) -> None:
    others += [Silent, Silent]
    assert rules().count(Silent) == 1


# -- choosing --------------------------------------------------------------------------------------


def _codes(**given: Any) -> list[str]:
    return [detector.code for detector in choose(**given)]


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("select", "ignore", "codes"),
    [
        ([], [], ["X001", "Y001", "Y002"]),
        (["Y"], [], ["Y001", "Y002"]),
        (["y00"], [], ["Y001", "Y002"]),
        (["silent-layer"], [], ["X001"]),
        (["X001", "louder-layer"], [], ["X001", "Y002"]),
        ([], ["Y"], ["X001"]),
        (["Y"], ["loud-layer"], ["Y002"]),
        (["Y"], ["Y"], []),
    ],
)
def test_select_and_ignore(select: list[str], ignore: list[str], codes: list[str]) -> None:
    assert _codes(select=select, ignore=ignore) == codes


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("name", ["Z", "Y003", "loud-layr", ""])
@pytest.mark.parametrize("option", ["select", "ignore"])
def test_an_unknown_name_is_refused(option: str, name: str) -> None:
    with pytest.raises(RuleError, match=f"No detector is called `{name}`"):
        choose(**{option: [name]})  # type: ignore[arg-type]


@pytest.mark.usefixtures("three")
def test_hints() -> None:
    with pytest.raises(RuleError, match="did you mean `loud-layer`"):
        choose(select=["loud-layr"])
    with pytest.raises(RuleError, match="did you mean `Y00"):
        choose(select=["y009"])


# -- thresholds ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("name", ["X001", "x001", "silent-layer"])
def test_thresholds_by_code_or_slug(name: str) -> None:
    silent = choose(settings={name: {"quiet": 0.25, "frames": 7}})[0]
    assert silent.thresholds() == {"quiet": 0.25, "share": 0.5, "frames": 7}
    assert choose()[0].thresholds()["quiet"] == 1e-12


@pytest.mark.usefixtures("three")
def test_code_and_slug_meet() -> None:
    settings = {"X001": {"quiet": 0.1, "share": 0.1}, "silent-layer": {"share": 0.2}}
    found = choose(settings=settings)[0].thresholds()
    assert (found["quiet"], found["share"]) == (0.1, 0.2)


@pytest.mark.usefixtures("three")
def test_a_whole_number_is_a_number() -> None:
    quiet = choose(settings={"X001": {"quiet": 1}})[0].thresholds()["quiet"]
    assert (quiet, type(quiet)) == (1.0, float)


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("detector", "name", "value", "wanted"),
    [
        ("X001", "quiet", "1", "float"),
        ("X001", "quiet", True, "float"),
        ("X001", "quiet", None, "float"),
        ("X001", "frames", 1.0, "int"),
        ("X001", "frames", True, "int"),
        ("Y001", "word", 1, "str"),
        ("Y001", "wanted", 1, "bool"),
    ],
)
def test_a_value_of_another_type_is_refused(
    detector: str, name: str, value: object, wanted: str
) -> None:
    with pytest.raises(RuleError, match=rf"`{detector}\.{name}` must be of type {wanted}"):
        choose(settings={detector: {name: value}})


@pytest.mark.usefixtures("three")
def test_an_unknown_threshold_or_detector_is_refused() -> None:
    with pytest.raises(RuleError, match=r"X001 .* has no threshold `quit`.*`quiet`"):
        choose(settings={"X001": {"quit": 1.0}})
    with pytest.raises(RuleError, match="No detector is called `X002`"):
        choose(settings={"X002": {"quiet": 1.0}})


@pytest.mark.usefixtures("three")
def test_a_prefix_does_not_set_a_whole_family() -> None:
    with pytest.raises(RuleError, match="No detector is called `Y`"):
        choose(settings={"Y": {"word": "x"}})


# -- finding ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("three")
def test_find_searches_all_rule_sets() -> None:
    assert find("x001") is Silent
    assert find("silent-layer") is Silent
    other = rules("autotrainer")[0]
    assert find(other.slug) is other
    with pytest.raises(RuleError, match=r"no detector `silent-leyer`.*`silent-layer`"):
        find("silent-leyer")
