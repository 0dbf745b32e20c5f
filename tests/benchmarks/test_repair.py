"""The repair benchmark: its cases are as promised, its counts strict, its page whole."""

from __future__ import annotations

import importlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The parts, imported as the benchmark imports them."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in list(sys.modules):
        if name.split(".")[0] in ("repair_parts", "zoo"):
            del sys.modules[name]


def test_there_are_as_many_cases_as_promised(parts: Any) -> None:
    cases = parts("repair_parts.cases").cases()
    counts = Counter(case.problem for case in cases)
    assert counts.pop("") >= 60
    assert len(counts) == 8
    assert all(count >= 10 for count in counts.values())
    assert sum(counts.values()) >= 120
    assert len({case.name for case in cases}) == len(cases)
    assert {case.dataset for case in cases} == set(parts("repair_parts.data").FLOORS)
    assert {case.network for case in cases} == {"fc", "cnn", "rnn"}
    assert cases == parts("repair_parts.cases").cases()  # drawn by their names


def _outcome(status: str, after: float, cost: float, *slugs: str) -> dict[str, Any]:
    attempt = {
        "number": 0, "remedy": "untouched", "against": "", "parent": None, "steps": 10,
        "cost": 0.1, "curve": [], "verdict": "sick", "metric": 0.1,
    }  # fmt: skip
    treated = {**attempt, "number": 1, "remedy": "initialise", "against": "x", "parent": 0}
    return {
        "status": status, "after": after, "cost": cost, "chosen": int(bool(slugs)), "why": "",
        "problems": [{"slug": slug, "step": 5} for slug in slugs], "attempts": [attempt, treated],
        "seconds": 2.0, "memory": 100,
    }  # fmt: skip


def _kept(folder: Path, name: str, before: float, outcome: dict[str, Any]) -> None:
    untouched = {"metric": before, "curve": [], "seconds": 1.0, "memory": 100}
    (folder / f"{name}.race.json").write_text(json.dumps(outcome))
    (folder / f"{name}.untouched.json").write_text(json.dumps(untouched))


def test_the_counts_are_strict(parts: Any, tmp_path: Path) -> None:
    results, goals = parts("repair_parts.results"), parts("repair_parts.goals")
    _kept(tmp_path, "VG-00", 0.1, _outcome("healed", 0.8, 1.2, "vanishing-gradient"))
    _kept(tmp_path, "VG-01", 0.1, _outcome("failed", 0.8, 1.4, "vanishing-gradient"))
    _kept(tmp_path, "VG-02", 0.1, _outcome("healed", 0.05, 1.6, "vanishing-gradient"))
    _kept(tmp_path, "VG-03", 0.1, _outcome("healthy", 0.1, 1.0))
    _kept(tmp_path, "VG-04", 0.95, _outcome("healed", 0.93, 1.3, "vanishing-gradient"))
    _kept(tmp_path, "healthy-00", 0.9, _outcome("healthy", 0.9, 1.0))
    _kept(tmp_path, "healthy-01", 0.9, _outcome("healed", 0.9, 1.5, "loss-plateau"))
    _kept(tmp_path, "healthy-02", 0.1, _outcome("healed", 0.9, 1.5, "loss-plateau"))
    found = results.load(tmp_path)
    assert [row.repaired for row in found.sick()] == [True, False, False, False]
    assert [row.case.name for row in found.unharmed()] == ["VG-04"]
    assert [row.case.name for row in found.healthy()] == ["healthy-00", "healthy-01"]
    assert [row.case.name for row in found.not_so_healthy()] == ["healthy-02"]
    told = {name: value for name, _, value, _ in goals.goals(found)}
    assert told["repaired of detected, strictly"] == "0.333"
    assert told["mean gain of repaired cases, points"] == "70.0"
    assert told["healed cases worse than untouched by more than a point"] == "2"
    assert told["healthy cases changed"] == "1 of 2"
    assert told["cost, mean over sick cases"] == "1.30"


def test_what_falls_far_from_its_best_is_not_sound(parts: Any, tmp_path: Path) -> None:
    results = parts("repair_parts.results")
    for name, best in (("IO-00", 0.95), ("IO-01", 0.85), ("healthy-02", 0.95), ("healthy-04", 0.8)):
        _kept(tmp_path, name, 0.82, _outcome("healthy", 0.82, 1.0))
        curve = [{"metric": best}, {"metric": None}, {"metric": 0.82}]
        untouched = {"metric": 0.82, "curve": curve, "seconds": 1.0, "memory": 100}
        (tmp_path / f"{name}.untouched.json").write_text(json.dumps(untouched))
    found = results.load(tmp_path)
    assert [row.case.name for row in found.sick()] == ["IO-00"]
    assert [row.case.name for row in found.unharmed()] == ["IO-01"]
    assert [row.case.name for row in found.healthy()] == ["healthy-04"]
    assert [row.case.name for row in found.not_so_healthy()] == ["healthy-02"]


def test_the_page_is_written(parts: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    work = tmp_path / "work"
    work.mkdir()
    _kept(work, "VG-00", 0.1, _outcome("healed", 0.8, 1.2, "vanishing-gradient"))
    (work / "EG-00.race.json").write_text(json.dumps({"error": "ValueError: no"}))
    page = parts("repair_parts.page").write(work, tmp_path / "out").read_text()
    whole = len(parts("repair_parts.cases").cases())
    assert f"Measured: 1 of {whole} cases: 1 sick, 0 with a fault that did no harm" in page
    assert "0 of 96 are measured" in page
    assert "1 of 276 are measured" in page
    assert "| tuned on | 1 | 1 of 1 (100.0 %) | +70.0 | 1.20 (1.20) |" in page
    assert "| judged | 0 | — |" in page
    assert "This is a part" in page
    assert "EG-00, race: ValueError: no" in page
    assert (tmp_path / "out" / "repair.costs.png").is_file()
    assert json.loads((tmp_path / "out" / "repair.json").read_text())[0]["status"] == "healed"
