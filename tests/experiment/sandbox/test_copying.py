from __future__ import annotations

import os
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import copying
from paramedic.experiment.sandbox.copying import Copies, TooLarge, outermost


def test_a_copy_without_links(tmp_path: Path) -> None:
    project, shared = tmp_path / "project", tmp_path / "shared"
    for folder in (project / "src", project / ".git", shared):
        folder.mkdir(parents=True)
    (project / "src" / "train.py").write_text("original")
    (project / ".git" / "config").touch()
    (shared / "data.csv").write_text("1")
    (project / "data").symlink_to(shared)
    (project / "one.csv").symlink_to(shared / "data.csv")
    (project / "round").symlink_to(project)
    os.mkfifo(project / "pipe")
    into = tmp_path / "into"
    into.mkdir()
    copies = Copies([project, project / "src"], into)
    script = Path(copies.of(str(project / "src" / "train.py")))
    assert script == into / "copy0" / "src" / "train.py"
    script.write_text("patched")
    for name in ("data/data.csv", "one.csv"):
        assert not (into / "copy0" / name).is_symlink()
        (into / "copy0" / name).write_text("2")
    assert (project / "src" / "train.py").read_text() == "original"
    assert (shared / "data.csv").read_text() == "1"
    assert sorted(os.listdir(into / "copy0")) == ["data", "one.csv", "src"]
    assert copies.of("src") == "src"
    assert copies.of("/elsewhere/file") == "/elsewhere/file"
    path = os.pathsep.join([str(project / "src"), "/lib"])
    assert copies.environment({"PYTHONPATH": path, "A": "b"}) == {
        "PYTHONPATH": os.pathsep.join([str(into / "copy0" / "src"), "/lib"]), "A": "b"
    }  # fmt: skip


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p").mkdir()
    for name in ("train.py", "a", "b"):
        (tmp_path / "p" / name).touch()
    monkeypatch.setattr(copying, "MOST_FILES", 2)
    with pytest.raises(TooLarge, match="more than 2 files"):
        Copies([tmp_path / "p"], tmp_path)


def test_folders_in_folders() -> None:
    assert outermost([Path("/a/b"), Path("/a"), Path("/c"), Path("/a")]) == [Path("/a"), Path("/c")]
