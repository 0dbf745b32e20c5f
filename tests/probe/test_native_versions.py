"""A compiled library is used only if it was built from the source beside it."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from paramedic.probe import native

HERE = Path(native.__file__).parent
LIBRARY = "kernel.so"

pytestmark = pytest.mark.skipif(native.kernel is None, reason="the native kernel was not built")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("kernel.c", LIBRARY):
        shutil.copy(HERE / name, tmp_path)
    return tmp_path


def test_a_library_of_this_source_is_used(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert native.load(folder) is not None
    assert caplog.records == []


def test_a_library_of_another_source_is_not_even_loaded(
    folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native.ctypes, "CDLL", lambda path: pytest.fail("it was loaded"))
    with (folder / "kernel.c").open("a") as file:
        file.write("/* changed */\n")
    assert native.load(folder) is None
    (line,) = (one for one in caplog.records if one.levelno == logging.WARNING)
    assert "was built from another version of `kernel.c`" in line.getMessage()
    assert str(folder / LIBRARY) in line.getMessage()


def test_a_library_of_another_abi_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "ABI", native.ABI + 1)
    assert native.load(folder) is None


@pytest.mark.parametrize("content", [b"", b"no library", b"\x7fELF" + bytes(4096)])
def test_what_is_no_library_is_not_used(
    folder: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / LIBRARY).write_bytes(content)
    assert native.load(folder) is None
    assert len(caplog.records) == 1


def test_a_library_that_ends_early_is_not_used(folder: Path) -> None:
    content = (folder / LIBRARY).read_bytes()
    identity = content.index(b"paramedic kernel, abi")
    (folder / LIBRARY).write_bytes(content[identity : identity + 200])
    assert native.load(folder) is None


def test_no_source_no_library(folder: Path) -> None:
    (folder / "kernel.c").unlink()
    assert native.load(folder) is None


def test_no_library_is_nothing_to_tell(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / LIBRARY).unlink()
    assert native.load(folder) is None
    assert caplog.records == []
