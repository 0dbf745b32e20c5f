"""Builds the native kernel of the probe with the C compiler, if there is one.

Without a compiler the package works the same, with NumPy: only looks cost more. As a script it
builds the kernel in place, for a checkout whose `kernel.c` has changed.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

FOLDER = Path("src/paramedic/probe/native")
FLAGS = ["-O3", "-std=c11", "-fPIC", "-shared", "-fopenmp-simd", "-fno-math-errno"]
# As far as the compiler and the linker take them.
HARDENED = ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"]
HARDENED_LINK = ["-Wl,-z,relro,-z,now"]


class NativeKernel(BuildHookInterface):
    """Compiles `kernel.c` beside its source and takes it into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        folder = Path(self.root) / FOLDER
        problem = build(folder)
        if problem:
            self.app.display_warning(f"No native kernel, NumPy will do: {problem}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"  # the kernel is called by ctypes
        build_data["artifacts"].append(str(FOLDER / _library(folder).name))


def build(folder: Path) -> str:
    """Compile the kernel in this folder; what went wrong, if anything did.

    The library carries the hash of its source, without which it is never loaded. It replaces the
    old one in one move: a training that runs has that one mapped into its memory.
    """
    source, library = folder / "kernel.c", _library(folder)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    fresh = library.with_suffix(f".{os.getpid()}{library.suffix}")
    problem = ""
    for more in ([*HARDENED, *HARDENED_LINK], HARDENED, []):
        identity = f'-DPARAMEDIC_SOURCE="{digest}"'
        command = [*compiler(), *FLAGS, *more, identity, str(source), "-o", str(fresh), "-lm"]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            problem = getattr(error, "stderr", None) or str(error)
        else:
            os.replace(fresh, library)
            return ""
    fresh.unlink(missing_ok=True)
    library.unlink(missing_ok=True)  # it is of another source
    return problem


def compiler() -> list[str]:
    """The C compiler that the environment, or this Python, names."""
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")


def _library(folder: Path) -> Path:
    return folder / ("kernel.dll" if os.name == "nt" else "kernel.so")


def _platform() -> str:
    """This machine, without the promise of `manylinux` that a local compiler cannot keep."""
    return next(tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))


if __name__ == "__main__":
    build(Path(__file__).parent / FOLDER)
