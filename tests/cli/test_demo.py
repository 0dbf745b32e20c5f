from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from paramedic.cli.main import app
from paramedic.trace import Trace

run = CliRunner().invoke


def test_demo_watches_a_sick_run_and_says_what_it_saw(tmp_path: Path) -> None:
    result = run(app, ["demo", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    words = " ".join(result.output.split())
    assert "300 optimizer steps, 300 of them looked at." in words
    assert "the input of batch 299 was not finite, samples 17." in words
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.last_step == 299
        norms = trace.window().layer("grad_norm")[0]
        assert norms[0] < 1e-6 * norms[-1]


def test_a_second_demo_keeps_the_first(tmp_path: Path) -> None:
    (tmp_path / "run.db").write_text("somebody else's")
    result = run(app, ["demo", "--out", str(tmp_path)])
    assert "run-2.db" in result.output.replace("\n", "")
    assert (tmp_path / "run.db").read_text() == "somebody else's"
