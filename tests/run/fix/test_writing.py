"""The user's file is changed as a whole, or not at all; nothing that was typed is lost."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import How, Limits, Sandbox
from paramedic.run.fix import writing
from paramedic.run.fix.patch import Patch
from paramedic.run.fix.writing import Changed, write
from paramedic.types import Remedy
from tests.experiment.sandbox.world import require

BEFORE = "\ufeffone\r\ntwo\r\n"
AFTER = "\ufeffone\r\nthree\r\n"


def _patch(path: Path, before: str = BEFORE) -> Patch:
    return Patch(Remedy("r", "R", 0.5), path, before, AFTER)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_bytes(BEFORE.encode())
    return path


@pytest.fixture(params=["in one step", "one after the other"])
def _both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every system lets two files change places."""
    if request.param == "one after the other":
        monkeypatch.setattr(writing, "_exchange", lambda one, other: False)


@pytest.mark.usefixtures("_both_ways")
def test_the_original_is_kept(script: Path) -> None:
    script.chmod(0o751)
    kept = write(_patch(script))
    assert kept.name == "train.py.orig"
    assert (kept.read_bytes(), script.read_bytes()) == (BEFORE.encode(), AFTER.encode())
    assert stat.S_IMODE(script.stat().st_mode) == 0o751
    script.write_bytes(BEFORE.encode())
    assert write(_patch(script)).name == "train.py.orig2"
    assert sorted(os.listdir(script.parent)) == ["train.py", "train.py.orig", "train.py.orig2"]


@pytest.mark.usefixtures("_both_ways")
def test_a_link_stays_a_link(script: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.py"
    link.symlink_to("train.py")
    write(_patch(link))
    assert link.is_symlink()
    assert script.read_bytes() == AFTER.encode()


@pytest.mark.usefixtures("_both_ways")
def test_what_was_typed_meanwhile_stays(script: Path) -> None:
    script.write_text("typed")
    with pytest.raises(Changed, match="was changed while the patch was tried"):
        write(_patch(script))
    assert script.read_text() == "typed"
    assert os.listdir(script.parent) == ["train.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="files change places only on Linux")
@pytest.mark.parametrize("saved", ["in place", "as a new file"])
def test_what_is_typed_at_the_last_moment_stays(
    script: Path, monkeypatch: pytest.MonkeyPatch, saved: str
) -> None:
    exchange = writing._exchange
    typed = ["typed"]

    def late(one: Path, other: Path) -> bool:
        if typed and saved == "in place":
            other.write_text(typed.pop())
        elif typed:
            (other.parent / "new").write_text(typed.pop())
            (other.parent / "new").rename(other)
        return exchange(one, other)

    monkeypatch.setattr(writing, "_exchange", late)
    with pytest.raises(Changed):
        write(_patch(script))
    assert script.read_text() == "typed"
    assert os.listdir(script.parent) == ["train.py"]


@pytest.mark.usefixtures("_both_ways")
def test_a_disk_without_second_names(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*names: object) -> None:
        raise OSError(errno.EPERM, "not supported")

    monkeypatch.setattr(os, "link", refuse)
    assert write(_patch(script)).read_bytes() == BEFORE.encode()
    assert script.read_bytes() == AFTER.encode()


FULL = """
import sys
from pathlib import Path
from paramedic.run.fix.patch import Patch
from paramedic.run.fix.writing import write
from paramedic.types import Remedy

script = Path("train.py")
try:
    with open("fill", "wb", buffering=0) as file:
        while file.write(bytes(4096)): pass
except OSError as error:
    print(error.errno)
patch = Patch(Remedy("r", "R", 0.5), script, "before", "after" * 10**4)
try:
    write(patch)
except OSError as error:
    print(error.errno, script.read_text(), sorted(one.name for one in Path().iterdir()))
"""


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """A really full one: that of a sandbox."""
    require(How.NAMESPACES)
    (tmp_path / "train.py").write_text("before")
    (tmp_path / "full.py").write_text(FULL)
    source = str(Path(writing.__file__).parents[3])
    ended = Sandbox((tmp_path,), Limits(120, disk=2**20), How.NAMESPACES).run(
        [sys.executable, "full.py"], folder=tmp_path,
        environment={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    assert ended.output.splitlines() == [
        "28", "28 before ['fill', 'full.py', 'train.py']"
    ], ended.errors  # fmt: skip
