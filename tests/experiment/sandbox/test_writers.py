from __future__ import annotations

import sys
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import How, Sandbox
from paramedic.experiment.sandbox.limits import Limits
from tests.experiment.sandbox.world import require

PROGRAM = """
import sys, torch
path, where = sys.argv[1:]
torch.save({"a": torch.ones(2)}, where + "/own.pt")
assert torch.load(where + "/own.pt")["a"].sum() == 2
try:
    from safetensors.torch import save_file
    save_file({"a": torch.ones(2)}, path + ".safetensors")
except ImportError:
    print("no safetensors")
except OSError as error:
    print(error)
torch.save({"a": torch.ones(2)}, path)
"""


@pytest.mark.parametrize("how", [How.LANDLOCK, How.GUARD])
def test_files_that_are_written_in_c(tmp_path: Path, how: How) -> None:
    require(how)
    elsewhere, project = tmp_path / "elsewhere", tmp_path / "project"
    elsewhere.mkdir()
    project.mkdir()
    (project / "train.py").write_text(PROGRAM)
    sandbox = Sandbox((project,), Limits(1200), how)
    ended = sandbox.run(
        [sys.executable, "train.py", str(elsewhere / "model.pt"), str(sandbox.private)],
        folder=project,
    )  # fmt: skip
    assert list(elsewhere.iterdir()) == []
    assert not ended.well
    if how is How.GUARD:
        assert ended.refused == f"it wanted to write `{elsewhere / 'model.pt'}.safetensors`"
        assert "Read-only file system" in ended.errors
