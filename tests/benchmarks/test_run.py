"""The benchmark of `paramedic run`, on a small scale."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"

MACHINE = {
    "processor": "P", "cores": 2, "system": "S", "python": "3.11",
    "packages": {"torch": "2", "numpy": "2", "paramedic": "0"},
}  # fmt: skip
TIMES = {
    "python": [1.0, 1.2], "run": [1.3, 1.4], "python_processor": [1.0, 1.0],
    "run_processor": [1.2, 1.3],
}  # fmt: skip
METRICS = ("val_loss", "val_acc", "training loss")
BLOCK = {"ratio": {"mean": 1.02, "median": 1.0}, "steps": {"0": 9, "2": 1}, "plain_seconds": 0.002}
ROW: dict[str, Any] = {
    "name": "left_in_eval", "root": "wrong-mode", "source": "model.eval()", "remedy": "train-mode",
    "metric": "val_loss", "sick": 0.9, "patched": 0.31, "twin": 0.3,
    "verdicts": {"sick": "learning", "patched": "learning", "twin": "not learning"},
    "exit_codes": {"sick": 1, "patched": 0, "twin": 1},
}  # fmt: skip


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The parts, imported as the benchmark imports them."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in list(sys.modules):
        if name.split(".")[0] in ("run_parts", "overhead_parts"):
            del sys.modules[name]


def test_the_page_tells_what_was_measured(parts: Any) -> None:
    results = {
        "start": {"scripts": {"import torch": TIMES}, "machine": MACHINE},
        "steps": {"scripts": {"tiny_mlp": [{"wall": BLOCK, "processor": BLOCK}]}},
        "fixes": {"rows": [ROW]},
    }
    text = parts("run_parts.page").page(results)
    assert "| import torch | 1.10 | 1.35 | 0.25 (0.22–0.28) | 0.25 (0.22–0.28) |" in text
    assert "At most 0.5 s: **met**." in text
    assert "| 2.00 | 10 | ≤ 1.03 | 1.020 (1.020–1.020) | 1.020 (1.020–1.020) | **met** |" in text
    assert "Of 1 sick examples 1 are said to fail or to have a fault" in text
    assert "and 1 got a verified patch; 1 patched scripts are said to learn" in text
    assert "0 of 1 twins are said to learn" in text
    assert "Whole scripts\n" not in text
    assert "Not measured yet: `whole`" in text


def test_the_cause_of_a_report_comes_before_its_symptoms(parts: Any, tmp_path: Path) -> None:
    script = tmp_path / "sick.py"
    script.write_text("a\nb\n")
    verified = {"slug": "lower-rate", "verified": {"before": 1.0, "after": 0.1}}
    findings = [
        {"slug": "loss-plateau", "role": "symptom", "remedies": [], "source": []},
        {"slug": "dying-relu", "role": "suspicion", "remedies": [verified],
         "source": [{"line": 2}]},
    ]  # fmt: skip
    end = {"verdict": "learning", "exit_code": 0, "values": dict.fromkeys(METRICS, 0.1)}
    row = parts("run_parts.fixes").row(script, {"trainings": [{"findings": findings}]}, [end] * 3)
    assert (row["root"], row["source"], row["remedy"]) == ("dying-relu", "b", "lower-rate")
    assert row["exit_codes"] == {"sick": 0, "patched": 0, "twin": 0}


@pytest.mark.parametrize(
    ("metric", "patched", "near"),
    [("val_loss", 0.35, True), ("val_loss", 0.4, False), ("val_acc", 0.35, True)],
)
def test_as_good_as_the_twin(metric: str, patched: float, near: bool, parts: Any) -> None:
    values = {"sick": 0.1, "twin": 0.35} if metric == "val_acc" else {}
    is_near = parts("run_parts.page")._is_near
    assert is_near({**ROW, "metric": metric, "patched": patched, **values}) is near


def test_the_clock_stands_still_while_we_are_away(parts: Any) -> None:
    clock = parts("run_parts.turns").Clock()
    clock.stop()
    before = clock._stopped - clock._lost
    clock.go_on()
    assert 0 <= clock() - before < 1
