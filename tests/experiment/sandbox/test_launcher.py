"""The process in between; what comes of it is in `test_sandbox.py`."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from paramedic.experiment.sandbox.launcher import _overwrite, _starting


def test_what_was_compiled_is_not_taken_for_the_new_text(tmp_path: Path) -> None:
    module = tmp_path / "net.py"
    module.write_text("x = 1")
    subprocess.run([sys.executable, "-c", "import net"], cwd=tmp_path, check=True)
    compiled = Path(importlib.util.cache_from_source(str(module)))
    module.chmod(0o640)
    before = module.stat()
    _overwrite(str(module), b"x = 2")
    assert not compiled.exists()
    assert module.stat().st_mtime > before.st_mtime
    assert module.stat().st_mode == before.st_mode


def test_the_user_may_have_a_start_of_its_own(tmp_path: Path) -> None:
    own, start, private = (tmp_path / name for name in ("own", "start", "private"))
    for folder in (own, start, private):
        folder.mkdir()
    (own / "sitecustomize.py").write_text("OWN = True")
    rules = {"private": str(private), "kernel": True, "shown": {}}
    (start / "sitecustomize.py").write_text(_starting(start, rules))
    text = (
        "import sys, sitecustomize; print(sitecustomize.OWN, sys.path[1:2], end=' ');"
        "open('here', 'w')"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": f"{start}{os.pathsep}{own}"},
    )  # fmt: skip
    assert done.stdout == f"True ['{own}'] "
    assert "Read-only file system" in done.stderr
