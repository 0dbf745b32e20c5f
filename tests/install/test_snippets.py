"""What the README and the first tutorial show works for a user who has only installed the wheel.

Whether it ends well and leaves the files that it promises is tested, not what it says.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.install.support import ROOT, Installed, blocks

README, TUTORIAL = ROOT / "README.md", ROOT / "docs" / "start.md"
SERVES = "paramedic live"  # until it is interrupted
HEALS = "paramedic heal"
JUDGES = ("paramedic run", "paramedic replay", "paramedic checkup", "paramedic heal")

# The script that the README speaks of.
SCRIPT = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()

def make_checkup():
    return model, (x, y), nn.CrossEntropyLoss(), optimizer

if __name__ == "__main__":
    for step in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
"""


def _is_well(command: str, done: subprocess.CompletedProcess[str]) -> bool:
    """A command that judges says by 1 that something is wrong, and by 2 that it cannot judge, which
    is in its output; where 2 means that it was called in a wrong way, there is none."""
    if not command.startswith(JUDGES):
        return done.returncode == 0
    return done.returncode in (0, 1) or (done.returncode == 2 and bool(done.stdout.strip()))


def _do(paramedic: Installed, command: str, folder: Path) -> None:
    done = paramedic.run(command, folder)
    assert _is_well(command, done), f"{command}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, f"{command}\n{done.stderr}"


def test_it_is_the_installed_one(paramedic: Installed, tmp_path: Path) -> None:
    shown = paramedic.run("python -c 'import paramedic; print(paramedic.__file__)'", tmp_path)
    assert Path(shown.stdout.strip()).is_relative_to(paramedic.home)
    assert paramedic.run("paramedic --version", tmp_path).returncode == 0


def test_the_tutorial_from_an_empty_folder(paramedic: Installed, tmp_path: Path) -> None:
    for block in blocks(TUTORIAL):
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        if block.file == "watched.py":
            _do(paramedic, "python watched.py", tmp_path)
        for command in block.commands:
            if command.startswith("paramedic") and not command.startswith(SERVES):
                _do(paramedic, command, tmp_path)
    for name in ("train.py", "run.db", "page.html", "plan.py"):
        assert (tmp_path / name).stat().st_size, name
    assert [one for one in tmp_path.glob("plan*") if one.is_dir()], "what `heal` keeps"


def test_the_tutorial_names_what_it_needs() -> None:
    saved = {block.file for block in blocks(TUTORIAL) if block.file}
    assert all(block.file for block in blocks(TUTORIAL) if block.language == "python")
    assert saved == {"train.py", "watched.py", "plan.py"}


@pytest.fixture(scope="module")
def folder(paramedic: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the Python of the README has been run, from its first line to its last."""
    folder = tmp_path_factory.mktemp("readme")
    parts = [block.text for block in blocks(README) if block.language == "python"]
    (folder / "readme.py").write_text("\n".join(parts), encoding="utf-8")
    _do(paramedic, "python readme.py", folder)
    return folder


def test_the_python_of_the_readme(folder: Path) -> None:
    assert (folder / "run.db").stat().st_size


def test_the_commands_of_the_readme(paramedic: Installed, folder: Path) -> None:
    (folder / "train.py").write_text(SCRIPT, encoding="utf-8")
    (folder / "runs").mkdir()
    shutil.copy(folder / "run.db", folder / "runs")
    done = {line for block in blocks(TUTORIAL) for line in block.commands}  # each once: it is slow
    assert any(line.startswith(HEALS) for line in done)
    shown = [line for block in blocks(README) for line in block.commands if line not in done]
    commands = [line for line in shown if not line.startswith((SERVES, HEALS))]
    assert len(commands) > 5
    for command in commands:
        _do(paramedic, command, folder)
    assert (folder / "page.html").stat().st_size
