from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from paramedic.cli.main import app

PROGRAM = """
import torch
from torch import nn
from helper import CLASSES

def model(*last):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, CLASSES), *last)

def data():
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(8, 5, generator=generator)
    return x, torch.randint(0, CLASSES, (8,), generator=generator)

def sound():
    net = model()
    return net, data(), nn.CrossEntropyLoss(), torch.optim.Adam(net.parameters())

def broken():
    return {"model": model(nn.Softmax(1)), "batch": data(), "loss_fn": nn.CrossEntropyLoss()}

def hopeless():
    return [nn.Identity(), "no tensor"]

def number(): return 3
def raises(): return 1 / 0
def without(): return {"model": model()}
def unknown(): return {"model": model(), "batch": data(), "loss": 3}
def no_module(): return 3, data()
nothing = 3
"""


@pytest.fixture(autouse=True)
def _program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("CLASSES = 3")
    (tmp_path / "wrong.py").write_text("1 / 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in ("program", "helper", "wrong"):
        sys.modules.pop(name, None)


def checkup(*args: str, columns: int = 100) -> Result:
    environment = {"COLUMNS": str(columns), "NO_COLOR": "1"}
    return CliRunner(env=environment).invoke(app, ["checkup", *args])


@pytest.mark.parametrize("place", ["program:sound", "program.py:sound"])
def test_a_sound_model(place: str) -> None:
    result = checkup(place)
    assert result.exit_code == 0, result.output
    assert "passed   gradient-flow" in result.output
    assert "0 failed" in result.output.splitlines()[-1]
    assert "\x1b" not in result.output


def test_a_file_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert checkup(f"{tmp_path / 'program.py'}:sound", "--select", "C003").exit_code == 0


def test_a_broken_model() -> None:
    result = checkup("program:broken", "--ignore", "overfit-one-batch,memory")
    assert result.exit_code == 1, result.output
    assert "failed   labels-fit-loss" in result.output
    assert "softmax" in result.output
    assert "memory" not in result.output


def test_nothing_could_be_judged() -> None:
    result = checkup("program:hopeless", "--select", "gradient-flow")
    assert result.exit_code == 2, result.output
    assert "skipped  gradient-flow" in result.output


def test_json() -> None:
    result = checkup("program:broken", "--select", "labels-fit-loss", "--json", "-")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert data["ok"] is False
    assert data["checks"][0]["findings"][0]["code"] == "C015"


def test_json_in_a_file_leaves_the_table(tmp_path: Path) -> None:
    result = checkup("program:sound", "--select", "memory", "--json", "out.json")
    assert "passed" in result.output
    assert json.loads((tmp_path / "out.json").read_text())["judged"] is True


def test_a_narrow_terminal_is_kept_to() -> None:
    lines = checkup("program:sound", "--select", "memory", columns=50).output.splitlines()
    assert max(map(len, lines[:-1])) <= 50


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("program", "must be MODULE:FUNCTION"),
        ("program:missing", "`program` has no function `missing`"),
        ("program:nothing", "`program` has no function `nothing`"),
        ("program:number", "returned int"),
        ("program:raises", "raised ZeroDivisionError: division by zero"),
        ("program:without", "returned no `batch`"),
        ("program:unknown", "returned `loss`, which `paramedic.checkup` does not take"),
        ("program:no_module", "`model` must be an `nn.Module` but got int"),
        ("nowhere:sound", "No module named 'nowhere'"),
        ("nowhere.py:sound", "There is no file `nowhere.py`"),
        ("wrong.py:sound", "`wrong.py` raised ZeroDivisionError"),
    ],
)
def test_mistakes_are_one_clear_line(place: str, words: str) -> None:
    result = checkup(place)
    assert result.exit_code == 2
    assert words in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_an_unknown_check() -> None:
    result = checkup("program:sound", "--select", "gradient")
    assert result.exit_code == 2
    assert "did you mean `gradient-flow`" in result.output
