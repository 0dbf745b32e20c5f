"""How a patch is shown and applied; patches themselves are tested in `tests/run/fix`."""

from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.cli.fix import fixed
from paramedic.run.crier import Crier
from paramedic.run.fix import fixing
from paramedic.run.fix.fixing import Fix
from paramedic.run.fix.patch import Patch
from paramedic.run.outcome import Outcome
from paramedic.run.program import Program
from tests.report.made import FAILING, RAISE


def _fixed(
    monkeypatch: pytest.MonkeyPatch, found: Fix, *, write: bool = False, verify: bool = True
) -> Outcome:
    monkeypatch.setattr(fixing, "fix", lambda *args, **kwargs: found)
    outcome = Outcome("train.py", (FAILING,) if not verify else ())
    return fixed(outcome, Program("train.py"), Crier(), None, verify=verify, write=write)


def test_the_diff_on_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    patch = Patch(RAISE, Path("train.py"), "a\n", "b\n")
    _fixed(monkeypatch, Fix(patch, verified=True))
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-2:] == ["-a", "+b"]
    assert shown.err == ""


def test_nothing_was_verified(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _fixed(monkeypatch, Fix())
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "No patch was verified" in shown.err


def test_a_value_of_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    patch = Patch(RAISE, Path("train.py"), "a", "a", arguments=("--lr", "0.1"))
    _fixed(monkeypatch, Fix(patch, verified=True), write=True)
    assert capsys.readouterr().out == "train.py --lr 0.1\n"


def test_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "train.py"
    path.write_text("a\n")
    outcome = _fixed(monkeypatch, Fix(Patch(RAISE, path, "a\n", "b\n")), write=True, verify=False)
    assert path.read_text() == "b\n"
    assert (tmp_path / "train.py.orig").read_text() == "a\n"
    shown = capsys.readouterr()
    assert "This patch was not tried." in shown.err
    assert "train.py.orig" in shown.err
    (found, *_) = outcome.to_json()["trainings"][0]["findings"]
    assert found["slug"] == "learning-rate-too-low"
    assert "+b" in found["remedies"][0]["diff"]
