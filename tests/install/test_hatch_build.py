"""The wheel: for every Python that is supported, with the kernel or without it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from packaging.tags import compatible_tags, platform_tags
from packaging.utils import parse_wheel_filename

from tests.install.support import build, sources

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
