"""The example ends sick trials, and tells what it did."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("optuna")

FILE = Path(__file__).parent.parent.parent / "examples" / "tune_optuna.py"


def test_a_short_study_tells_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("tune_optuna", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(["--trials", "3", "--shadow"])
    told = capsys.readouterr().out
    assert "best: " in told
    assert "of 3 trials would have been stopped" in told
