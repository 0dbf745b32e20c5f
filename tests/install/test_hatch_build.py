"""The wheel: for every Python that is supported, with the kernel or without it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.tags import compatible_tags, platform_tags
from packaging.utils import parse_wheel_filename

import hatch_build
from tests.install.support import ROOT, build, sources

SOURCE = ROOT / "src/paramedic/probe/native/kernel.c"
KERNEL = "paramedic/probe/native/kernel"


def _binaries(wheel: Path) -> list[str]:
    names = zipfile.ZipFile(wheel).namelist()
    return [name for name in names if name.endswith((".so", ".dll"))]


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13)])
def test_the_wheel_installs_on_every_python_that_is_supported(
    wheel: Path, version: tuple[int, int]
) -> None:
    _, _, _, tags = parse_wheel_filename(wheel.name)
    assert tags & set(compatible_tags(version, platforms=list(platform_tags())))


def test_a_wheel_with_the_kernel_is_for_this_platform(wheel: Path) -> None:
    _, _, _, tags = parse_wheel_filename(wheel.name)
    (tag,) = tags
    assert (tag.interpreter, tag.abi) == ("py3", "none")
    assert (tag.platform == "any") == (not _binaries(wheel))


def test_without_a_compiler_the_wheel_is_for_any_platform(tmp_path: Path) -> None:
    folder = sources(tmp_path / "sources")
    (folder / "src" / f"{KERNEL}.so").write_text("left over from an earlier build")
    wheel = build(folder, tmp_path / "dist", {"CC": str(tmp_path / "no-such-compiler")})
    assert wheel.name.endswith("-py3-none-any.whl")
    assert _binaries(wheel) == []


def _compiles(*flags: str, to: Path) -> subprocess.CompletedProcess[str]:
    command = [*hatch_build.compiler(), *hatch_build.FLAGS, *flags, str(SOURCE), "-o", str(to)]
    return subprocess.run([*command, "-lm"], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernel as it is built here, or no test."""
    folder = tmp_path_factory.mktemp("native")
    (folder / "kernel.c").write_bytes(SOURCE.read_bytes())
    if hatch_build.build(folder):
        pytest.skip("there is no compiler")
    return folder / "kernel.so"


def test_the_kernel_has_no_warnings(library: Path, tmp_path: Path) -> None:
    flags = ["-Wall", "-Wextra", "-Werror", *hatch_build.HARDENED]
    assert _compiles(*flags, to=tmp_path / "kernel.so").stderr == ""


def test_the_kernel_carries_the_hash_of_its_source(library: Path) -> None:
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()
    assert f", source {digest}.".encode() in library.read_bytes()


def test_nothing_but_the_library_is_left(library: Path) -> None:
    assert {one.name for one in library.parent.iterdir()} == {"kernel.c", "kernel.so"}


def test_a_compiler_that_does_not_take_the_hardening_builds_a_kernel(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HARDENED", "HARDENED_LINK"):
        monkeypatch.setattr(hatch_build, name, ["-fno-such-flag"])
    (tmp_path / "kernel.c").write_bytes(SOURCE.read_bytes())
    assert hatch_build.build(tmp_path) == ""
    assert (tmp_path / "kernel.so").exists()


@pytest.mark.parametrize("reason", ["no compiler", "bad source"])
def test_a_kernel_that_cannot_be_built_again_is_gone(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    (tmp_path / "kernel.so").write_bytes(library.read_bytes())
    (tmp_path / "kernel.c").write_bytes(b"no C" if reason == "bad source" else SOURCE.read_bytes())
    if reason == "no compiler":
        monkeypatch.setenv("CC", str(tmp_path / "no-such-compiler"))
    assert hatch_build.build(tmp_path) != ""
    assert [one.name for one in tmp_path.iterdir()] == ["kernel.c"]


def test_make_says_nothing_without_a_compiler(tmp_path: Path) -> None:
    folder = sources(tmp_path / "sources")
    run = subprocess.run(
        [sys.executable, "hatch_build.py"], cwd=folder, capture_output=True, text=True, check=True,
        env={**os.environ, "CC": str(tmp_path / "no-such-compiler")},
    )  # fmt: skip
    assert (run.stdout, run.stderr) == ("", "")


def test_the_wheel_carries_the_source_that_its_kernel_names(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel)
    digest = hashlib.sha256(files.read(f"{KERNEL}.c")).hexdigest()
    for name in _binaries(wheel):
        assert f", source {digest}.".encode() in files.read(name)
