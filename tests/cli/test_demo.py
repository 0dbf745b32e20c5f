from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from paramedic.cli.main import app
from paramedic.trace import Trace

run = CliRunner().invoke


def test_demo_finds_explains_fixes_and_verifies(tmp_path: Path) -> None:
    result = run(app, ["demo", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "Suspicion: vanishing-gradient" in result.stderr
    assert "vanishing-gradient is gone" in result.stderr
    assert "+layers = [nn.Linear(2, 32), nn.LazyBatchNorm1d(), nn.ReLU()]" in result.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["verdict"] == "not learning"
    first = report["trainings"][0]["findings"][0]
    assert (first["slug"], first["role"]) == ("vanishing-gradient", "suspicion")
    (numbers,) = [one["verified"] for one in first["remedies"] if one["verified"] is not None]
    assert numbers["after"] < 0.1 * numbers["before"]
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.last_step == 389


def test_a_changed_script_is_kept(tmp_path: Path) -> None:
    (tmp_path / "deep_sigmoid.py").write_text("mine")
    result = run(app, ["demo", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "was changed; give another --out" in result.stderr
    assert (tmp_path / "deep_sigmoid.py").read_text() == "mine"
