"""Builds the native kernel of the probe with the C compiler, if there is one.

Without a compiler the package works the same, with NumPy: only looks cost more.
"""

from __future__ import annotations

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


class NativeKernel(BuildHookInterface):
    """Compiles `kernel.c` beside its source and takes it into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        source = Path(self.root) / FOLDER / "kernel.c"
        library = source.with_suffix(".dll" if os.name == "nt" else ".so")
        compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
        command = [*shlex.split(compiler), *FLAGS, str(source), "-o", str(library), "-lm"]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            detail = getattr(error, "stderr", None) or error
            self.app.display_warning(f"No native kernel, NumPy will do: {detail}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"  # the kernel is called by ctypes
        build_data["artifacts"].append(str(FOLDER / library.name))


def _platform() -> str:
    """This machine, without the promise of `manylinux` that a local compiler cannot keep."""
    return next(tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))
