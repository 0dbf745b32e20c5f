from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.run.fix.scratch import Scratch, TooLarge, warnings_for


def test_a_copy_that_can_be_written_to(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / ".git").mkdir()
    (project / "src" / "train.py").write_text("original")
    (project / "data.csv").write_text("1")
    (project / ".git" / "config").write_text("")
    scratch = Scratch(tmp_path / "scratch", project / "src" / "train.py", project)
    assert scratch.script.read_text() == "original"
    assert (scratch.working / "data.csv").read_text() == "1"
    assert not (scratch.working / ".git").exists()
    scratch.script.write_text("patched")
    assert (project / "src" / "train.py").read_text() == "original"
    assert scratch.has(project / "data.csv")
    assert not scratch.has(tmp_path / "elsewhere.py")


def test_a_script_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "train.py").write_text("x")
    scratch = Scratch(tmp_path / "s", tmp_path / "there" / "train.py", tmp_path / "here")
    assert scratch.script.parent != scratch.working


def test_what_concerns_others() -> None:
    assert warnings_for("loss.backward()") == []
    assert "writes" in warnings_for("torch.save(model, 'x')")[0]
    assert "writes" in warnings_for("open('log.txt', 'w')")[0]
    assert "network" in warnings_for("wandb.init()")[0]


def test_data_are_linked_and_the_copy_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    for number in range(500):
        (tmp_path / "images" / f"{number}.png").touch()
    (tmp_path / "train.py").touch()
    root = tmp_path / "scratch"
    root.mkdir()
    scratch = Scratch(root, tmp_path / "train.py", tmp_path)
    assert (scratch.working / "images").is_symlink()
    assert sorted(path.name for path in scratch.working.iterdir()) == ["images", "train.py"]


def test_too_much_to_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p").mkdir()
    for name in ("train.py", "a", "b"):
        (tmp_path / "p" / name).touch()
    monkeypatch.setattr("paramedic.run.fix.scratch._MOST_FILES", 2)
    with pytest.raises(TooLarge, match="too large to copy"):
        Scratch(tmp_path / "s", tmp_path / "p" / "train.py", tmp_path / "p")
