"""Facts about the machine and the versions; nothing that names the host or a path."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "starlette", "uvicorn", "selenium")


def machine() -> dict[str, Any]:
    """What a reader needs to judge the numbers."""
    return {
        "cores": os.cpu_count(),
        "processor": _processor(),
        "python": platform.python_version(),
        "chromium": _chromium(),
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def _chromium() -> str:
    told = subprocess.run(["chromium", "--version"], capture_output=True, text=True, check=True)
    return " ".join(told.stdout.split()[:2])
