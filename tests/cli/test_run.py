"""The options of `paramedic run`; what it does to programs is tested in `tests/run`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paramedic.cli.main import app
from paramedic.cli.run import on_one_screen
from tests.cli.schema import check
from tests.report.screen import Screen, on_terminal
from tests.run.support import script

SLOW = """
import sys
import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=float(sys.argv[1]))
for step in range(100):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
print("trained", sys.argv[1:])
sys.exit(int(sys.argv[2]))
"""


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PARAMEDIC_HOME", str(tmp_path / "home"))
    return str(script(tmp_path, SLOW))


def test_findings_on_stderr_and_the_report(slow: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    trace = tmp_path / "my.db"
    words = ["run", "--json", str(report), "--trace", str(trace), slow, "1e-6", "0", "--json"]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 1
    assert shown.stdout == "trained ['1e-6', '0', '--json']\n"
    assert "paramedic: step" in shown.stderr
    told = " ".join(shown.stderr.split())
    assert "not learning: no better than a constant answer after 100 steps" in told
    assert "Suspicion: learning-rate-too-low" in shown.stderr
    found = json.loads(report.read_text())
    assert (found["verdict"], found["exit_code"]) == ("not learning", 1)
    (training,) = found["trainings"]
    first = training["findings"][0]
    assert (first["slug"], first["role"]) == ("learning-rate-too-low", "suspicion")
    assert first["source"][0]["line"] == 9
    assert training["trace"] == str(trace)
    assert set(training["overhead"]) == {"share", "seconds"}


@pytest.mark.parametrize("rate", ["0.1", "1e-6"])
def test_the_report_is_as_the_schema_says(slow: str, rate: str) -> None:
    shown = CliRunner().invoke(app, ["run", "--quiet", "--json", "-", slow, rate, "0"])
    report = json.loads(shown.stdout.partition("\n")[2])
    assert report["exit_code"] == shown.exit_code
    check(report)


def test_a_program_that_learns_gets_no_warning(slow: str, tmp_path: Path) -> None:
    page, report = tmp_path / "page.html", tmp_path / "report.json"
    options = ["--html", str(page), "--json", str(report)]
    shown = CliRunner().invoke(app, ["run", *options, slow, "0.1", "0"])
    assert shown.exit_code == 0
    assert "of the best constant answer" in " ".join(shown.stderr.split())
    assert "Suspicion" not in shown.stderr
    (training,) = json.loads(report.read_text())["trainings"]
    assert {found["severity"] for found in training["findings"]} <= {"info"}
    text = page.read_text(encoding="utf-8")
    assert 'class="hero is-healthy"' in text
    assert 'class="card is-warning"' not in text
    assert 'class="card is-critical"' not in text


@pytest.mark.parametrize("option", ["--json", "--html", "--trace"])
def test_a_missing_folder_is_found_before_the_program_runs(
    option: str, slow: str, tmp_path: Path
) -> None:
    shown = CliRunner().invoke(app, ["run", option, str(tmp_path / "no" / "x"), slow, "0.1", "0"])
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert not (tmp_path / "no").exists()


def test_files_are_where_the_command_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program goes elsewhere; it is tried again from where it began."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    script(tmp_path, "import os\nos.chdir('elsewhere')\n" + SLOW)
    words = ["--json", "x.json", "--html", "x.html", "--trace", "x.db", "train.py", "1e-6", "0"]
    shown = CliRunner().invoke(app, ["run", "--fix", *words])
    assert {one.name for one in tmp_path.glob("x.*")} == {"x.json", "x.html", "x.db"}
    assert "learning-rate-too-low is gone" in shown.stderr
    assert "  train.py:" in shown.stderr


@pytest.mark.parametrize("kind", ["pipe", "device", "loop", "folder", "damaged", "huge"])
def test_a_file_of_settings_that_cannot_be_read(
    slow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """It belongs to somebody else, above the folder of the program, and nobody waits for it."""
    settings, work = tmp_path / "pyproject.toml", tmp_path / "work"
    if kind == "pipe":
        os.mkfifo(settings)
    elif kind in ("device", "loop"):
        settings.symlink_to("/dev/zero" if kind == "device" else settings)
    elif kind == "folder":
        settings.mkdir()
    else:
        settings.write_bytes(b"[tool.paramedic\xff" + b"x" * (2**20 if kind == "huge" else 0))
    work.mkdir()
    monkeypatch.chdir(work)
    shown = CliRunner().invoke(app, ["run", slow, "0.1", "0"])
    assert shown.exit_code == 0, shown.stderr


def test_the_report_as_a_page(slow: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = CliRunner().invoke(app, ["run", "--html", str(page), slow, "1e-6", "0"])
    assert shown.exit_code == 1
    assert f"The report is {page}" in shown.stderr
    text = page.read_text(encoding="utf-8")
    assert "learning rate too low" in text
    assert ".py:9" in text
    assert "opt = torch.optim.SGD(model.parameters()" in text
    assert 'data-map="0"' in text


@pytest.mark.parametrize(
    ("options", "arguments", "code"),
    [
        ((), ("0.1", "0"), 0),
        ((), ("1e-6", "3"), 3),
        (("--exit-zero",), ("1e-6", "0"), 0),
        (("--ignore", "O,L"), ("1e-6", "0"), 1),
        (("--max-steps", "20"), ("1e-6", "0"), 2),
    ],
)
def test_exit_codes(
    options: tuple[str, ...], arguments: tuple[str, ...], code: int, slow: str
) -> None:
    shown = CliRunner().invoke(app, ["run", "--quiet", *options, slow, *arguments])
    assert shown.exit_code == code
    assert shown.stderr == ""


def test_live_is_a_panel_under_what_the_program_prints(
    slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    screen = Screen(100, 40)
    with on_terminal(screen) as terminal, pytest.raises(SystemExit) as leaving:
        app(["run", "--live", "--max-steps", "100", slow, "1e-6", "0"])
    assert leaving.value.code == 1
    assert "training of model" in terminal.raw
    assert "of 100" in terminal.raw
    assert any("Suspicion: learning-rate-too-low" in line for line in screen.lines)
    assert not any("so far" in line for line in screen.lines)
    assert "write" not in vars(terminal)


def test_a_long_summary_fits_on_a_screen() -> None:
    lines = [f"line {number}" for number in range(50)]
    assert on_one_screen(lines, 60) == lines
    shown = on_one_screen(lines, 24)
    assert len(shown) == 22
    assert shown[0] == "line 0"
    assert shown[-2:] == ["  … (--verbose says everything)", "line 49"]


def test_of_several_processes_one_speaks(slow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    shown = CliRunner().invoke(app, ["run", slow, "1e-6", "0"])
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout.startswith("trained")


def test_no_tries_in_one_process_of_several(monkeypatch: pytest.MonkeyPatch, slow: str) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    shown = CliRunner().invoke(app, ["run", "--fix", slow, "0.1", "0"])
    assert shown.exit_code == 2
    assert "this program runs in 2: give --no-verify" in shown.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.py"], "There is no script `nowhere.py`"),
        (["--stop-on", "info", "x.py"], "--stop-on must be `critical` or `warning`"),
        (["--html", "nowhere/x.html", "x.py"], "There is no directory `nowhere`"),
        (["--json", "nowhere/x.json", "x.py"], "There is no directory `nowhere`"),
        (["--trace", "nowhere/x.db", "x.py"], "There is no directory `nowhere`"),
        (["--json", ".", "x.py"], "`.` is a directory"),
        (["--write", "x.py"], "--write applies what --fix finds"),
        (["--fix", "--budget", "lots", "x.py"], "--budget must be steps"),
        (["--select", "Z9", "x.py"], "Z9"),
    ],
)
def test_clear_errors(words: list[str], message: str) -> None:
    shown = CliRunner().invoke(app, ["run", *words])
    assert shown.exit_code == 2
    assert message in shown.stderr
