"""Files beside a script that are called like modules which we import."""

from __future__ import annotations

import builtins
import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paramedic.run.namesakes import own_modules

PROGRAM = """
import sys
before = [name for name in NAMES if name in sys.modules and hasattr(sys.modules[name], "MINE")]
import statistics, secrets, platform, types, tomllib, rich
print([hasattr(one, "MINE") for one in (statistics, secrets, platform, types, tomllib, rich)])
import torch
from torch import nn
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(20):
    optimizer.zero_grad()
    model(torch.ones(2, 3)).pow(2).mean().backward()
    optimizer.step()
print(before, "done")
"""
COPIED = ("statistics", "secrets", "platform", "types", "json")  # torch needs these as well
BROKEN = ("tomllib", "rich", "typer")
NAMES = (*COPIED, *BROKEN)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Beside it: modules that would break whoever takes them for the real ones, and some that
    would not."""
    for name in BROKEN:
        (tmp_path / f"{name}.py").write_text("MINE = True\nprint('imported', __name__)\n")
    for name in COPIED:
        real = importlib.import_module(name).__file__
        assert real is not None
        if Path(real).name == "__init__.py":
            shutil.copytree(Path(real).parent, tmp_path / name)
            copy = tmp_path / name / "__init__.py"
        else:
            copy = tmp_path / f"{name}.py"
        copy.write_text(Path(real).read_text() + "\nMINE = True\nprint('imported', __name__)\n")
    script = tmp_path / "train.py"
    script.write_text(f"NAMES = {NAMES}\n{PROGRAM}")
    return script


def _run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True, text=True, timeout=300, check=False, cwd=folder,
    )  # fmt: skip


def test_the_program_gets_its_own_and_we_the_real_ones(program: Path) -> None:
    elsewhere = program.parent.parent  # Python itself looks into the folder that -m is used in
    plain = _run(str(program), folder=elsewhere)
    assert plain.returncode == 0, plain.stderr
    ran = _run("-m", "paramedic", "run", "--exit-zero", str(program), folder=elsewhere)
    assert ran.returncode == 0, ran.stderr
    # The order may differ: what else the real modules import may be there already.
    assert sorted(ran.stdout.splitlines()) == sorted(plain.stdout.splitlines())
    assert "Trace:" in ran.stderr
    assert "switched off" not in ran.stderr


def test_without_such_files_nothing_is_done(tmp_path: Path) -> None:
    (tmp_path / "something_else.py").touch()
    before, names = builtins.__import__, set(sys.modules)
    with own_modules(str(tmp_path)):
        assert builtins.__import__ is before
        assert set(sys.modules) == names


def test_afterwards_all_is_as_before(tmp_path: Path) -> None:
    (tmp_path / "statistics.py").write_text("MINE = True")
    import statistics

    before = builtins.__import__
    with own_modules(str(tmp_path)):
        assert "statistics" not in sys.modules
        assert builtins.__import__ is not before
    assert builtins.__import__ is before
    assert sys.modules["statistics"] is statistics


def test_we_are_given_the_real_one_that_was_not_imported_yet(tmp_path: Path) -> None:
    (tmp_path / "sndhdr.py").write_text("MINE = True")
    code = f"""
import sys
from paramedic.run import namesakes
sys.path.insert(0, {str(tmp_path)!r})
with namesakes.own_modules({str(tmp_path)!r}):
    import sndhdr
    assert hasattr(sndhdr, "MINE")
    exec("import sndhdr", ours := vars(namesakes))
    exec(compile("import sndhdr", namesakes.__file__, "exec"), ours)
    assert not hasattr(namesakes.sndhdr, "MINE")
"""
    ran = _run("-W", "ignore", "-c", code, folder=tmp_path.parent)
    assert ran.returncode == 0, ran.stderr


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with own_modules(str(tmp_path / "no")):
        pass
