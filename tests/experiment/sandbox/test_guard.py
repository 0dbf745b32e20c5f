"""What Python is refused; what is refused to a whole program is in `test_sandbox.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import guard
from tests.experiment.sandbox.forked import forked


def _guarded(tmp_path: Path, action: Callable[[], object]) -> tuple[str, list[str]]:
    private = tmp_path / "private"
    private.mkdir()

    def inside() -> object:
        os.setsid()
        guard.install(guard.Rules(str(private)))
        return action()

    _, said = forked(inside)
    return said, (private / guard.NOTES).read_text().splitlines()


def test_its_own_folder_is_free(tmp_path: Path) -> None:
    own = tmp_path / "private"

    def action() -> str:
        (own / "a").mkdir()
        (own / "a" / "b").write_text("x")
        (own / "a" / "b").rename(own / "c")
        os.symlink("/etc/passwd", own / "link")
        os.remove(own / "link")
        os.chmod(own / "c", 0o600)
        with open(os.devnull, "w") as file:
            file.write("x")
        return (own / "c").read_text()

    assert _guarded(tmp_path, action) == ("x", [])


def _parent(path: str) -> int:
    """The descriptor of a folder; where the process is makes no difference."""
    os.chdir(Path(path).parent.parent / "private")
    return os.open(os.path.dirname(path), os.O_RDONLY)


@pytest.mark.parametrize(
    "action",
    [
        lambda path: Path(path).write_text("x"),
        lambda path: os.open(path, os.O_RDWR),
        lambda path: os.remove(path),
        lambda path: os.truncate(path, 0),
        lambda path: os.rename(path, path + "x"),
        lambda path: os.chmod(path, 0),
        lambda path: os.utime(path),
        lambda path: os.mkfifo(path + "x"),
        lambda path: os.open("file", os.O_WRONLY, dir_fd=_parent(path)),
        lambda path: os.unlink("file", dir_fd=_parent(path)),
        lambda path: __import__("sqlite3").connect(path),
        lambda path: __import__("shutil").rmtree(os.path.dirname(path)),
    ],
)  # fmt: skip
def test_others_are_not(tmp_path: Path, action: Callable[[str], object]) -> None:
    (tmp_path / "others").mkdir()
    file = tmp_path / "others" / "file"
    file.write_text("file")
    before = file.stat()
    said, notes = _guarded(tmp_path, lambda: action(str(file)))
    assert "OSError: [Errno 30] Read-only file system" in said
    assert notes[0].startswith(f"write {tmp_path}")
    assert file.read_text() == "file"
    assert file.stat().st_mtime_ns == before.st_mtime_ns


def test_a_link_does_not_lead_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("file")

    def action() -> object:
        os.symlink(tmp_path / "file", tmp_path / "private" / "link")
        return (tmp_path / "private" / "link").write_text("x")

    said, _ = _guarded(tmp_path, action)
    assert "Read-only file system" in said
    assert (tmp_path / "file").read_text() == "file"


@pytest.mark.parametrize(
    ("action", "note"),
    [
        (lambda: subprocess.run(["ls", "-l"], check=True), "start ls -l"),
        (lambda: os.system("ls"), "start ls"),
        (lambda: os.execv("/bin/ls", ["/bin/ls"]), "start /bin/ls"),
        (lambda: subprocess.run([sys.executable, "-I", "-c", ""], check=True), "start "),
        (lambda: os.kill(os.getppid(), 9), "signal process"),
        (lambda: __import__("socket").getaddrinfo("example.org", 80), "connect to example.org"),
        (
            lambda: __import__("socket").create_connection(("127.0.0.1", 9)),
            "connect to 127.0.0.1:9",
        ),
    ],
)
def test_neither_are_programs_processes_and_networks(
    tmp_path: Path, action: Callable[[], object], note: str
) -> None:
    said, notes = _guarded(tmp_path, action)
    assert "PermissionError: [Errno 13] Permission denied in the sandbox" in said
    assert notes[0].startswith(note)


def test_a_database_that_is_only_read(tmp_path: Path) -> None:
    import sqlite3

    sqlite3.connect(tmp_path / "db").close()
    _, notes = _guarded(
        tmp_path, lambda: sqlite3.connect(f"file:{tmp_path / 'db'}?mode=ro", uri=True)
    )
    assert notes == []
