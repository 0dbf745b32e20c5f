"""The benchmark of reliability: its page says what was measured, and what was not."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"
ABOUT = {"minutes": 1.0, "load": 0.5}
MACHINE = {
    "cores": 2, "processor": "P", "system": "Linux", "python": "3.11",
    "packages": {"torch": "2", "numpy": "2"},
}  # fmt: skip


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The parts, imported as the benchmark imports them."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in list(sys.modules):
        if name.split(".")[0] == "reliability_parts":
            del sys.modules[name]


def _rendered(parts: Any, name: str, **part: Any) -> str:
    whole = {**part, "about": ABOUT, "machine": MACHINE}
    return str(parts("reliability_parts.page").render({name: whole}))


@pytest.mark.parametrize(("refused", "verdict"), [(0, "**met**"), (1, "**missed**")])
def test_kills(parts: Any, refused: int, verdict: str) -> None:
    told = _rendered(parts, "kills", kills=200, traces=900, empty=300, refused=refused)
    assert f"after 200 kills of processes that record | all | {900 - refused} of 900 | " in told
    assert verdict in told
    assert "Not measured yet: `hiccups`" in told


@pytest.mark.parametrize(("longest", "verdict"), [(30.2, "met"), (50.1, "missed")])
def test_stalls(parts: Any, longest: float, verdict: str) -> None:
    one = {
        "steps": 9, "lost_outside": 0, "lost_during": 4, "longest_ms": longest, "worst_ms": 99.0,
        "noted": True, "failure": "",
    }  # fmt: skip
    hiccups = {"none": one, "locked": one, "full": {"skipped": "no namespaces"}}
    told = _rendered(parts, "hiccups", seconds=2.0, turns=3, **hiccups)
    assert "before and after it | 0 | 0 (and 4 during it) | **met** |" in told
    assert f"≤ 50 ms | {longest} ms (worst 99.0) | **{verdict}** |" in told
    assert "a full disk |  | not measured: no namespaces |  |" in told


def test_memory(parts: Any) -> None:
    names = parts("reliability_parts.memory").NAMES
    told = _rendered(
        parts, "memory", **{name: {"plain": 300.0, "watch": 310.0, "run": 351.0} for name in names}
    )
    assert told.count("+10 MB of 300 | **met**") == 3
    assert told.count("+51 MB of 300 | **missed**") == 3


REPORT = """<testsuites><testsuite>
<testcase classname="tests.gate" name="test_the_program_cannot_tell[gan-watch]"/>
<testcase classname="tests.gate" name="test_the_program_cannot_tell[gan-every-step]">
<failure message="differs"/></testcase>
<testcase classname="tests.gate" name="test_the_program_cannot_tell[gan-run]">
<skipped type="pytest.skip" message="no compiler"/></testcase>
<testcase classname="tests.gate" name="test_the_program_cannot_tell[lbfgs-run]">
<skipped type="pytest.xfail" message="a thread more"/></testcase>
<testcase classname="tests.gate" name="test_an_error_of_ours[hook]"><error message="x"/></testcase>
<testcase classname="tests.gate" name="test_enough"/>
</testsuite></testsuites>"""


def test_the_gate_is_counted(parts: Any) -> None:
    found = parts("reliability_parts.gate").counted(REPORT)
    assert (found["programs"], found["ways"], found["compared"]) == (2, 4, 3)
    assert found["differences"] == {"gan-every-step": "differs", "lbfgs-run": "a thread more"}
    assert found["left_out"] == {"gan-run": "no compiler"}
    assert found["others"] == 2
    assert found["others_failed"] == ["tests.gate.test_an_error_of_ours[hook]"]
    told = _rendered(parts, "gate", **found)
    assert "| ≥ 60 × 4 | 2 × 4 | **missed** |" in told
    assert "differences to the plain program | 0 | 2 | **missed** |" in told
    assert "- lbfgs-run: a thread more" in told


def test_a_gate_that_is_not_there(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = parts("reliability_parts.gate")
    monkeypatch.setattr(gate, "ROOT", Path("/nowhere"))
    found = gate.measure(parts("reliability_parts.sizes").QUICK)
    assert found == {"skipped": "there is no tests/patient_safety in this copy"}
    assert "not measured: there is no tests/patient_safety" in _rendered(parts, "gate", **found)


def test_a_small_hiccup(parts: Any, tmp_path: Path) -> None:
    told = parts("reliability_parts.recorder").main(tmp_path / "run.db", "locked", 0.2, 0.1)
    assert [told[name]["frames_lost"] for name in ("before", "during", "after")] == [0, 0, 0]
    assert told["failure"] == ""
