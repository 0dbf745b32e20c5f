"""What runs in a process of its own, and how the main process starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ENTRY = Path(__file__).resolve().parent.parent / "overhead.py"
Job = dict[str, Any]


def start(job: Job) -> dict[str, Any] | None:
    """Run a job in a fresh interpreter; None if it failed (its messages were shown)."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with tempfile.TemporaryDirectory(prefix="overhead-") as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, str(ENTRY), "--job", json.dumps(job), "--job-out", str(result)]
        code = subprocess.run(command, env={**os.environ, **one_thread}, check=False).returncode
        if code != 0:
            print(f"  failed with exit code {code}: {job}", flush=True)
            return None
        return json.loads(result.read_text())


def perform(job: Job, out: Path) -> None:
    """Do a job in this process."""
    import torch

    from .machine import machine

    torch.set_num_threads(1)
    arguments = {key: value for key, value in job.items() if key != "kind"}
    result = KINDS[job["kind"]](**arguments)
    out.write_text(json.dumps({**result, "machine": machine()}))


def _workload(name: str, variants: list[str], plan: dict[str, Any]) -> dict[str, Any]:
    from .plans import Plan, Turns
    from .protocol import measure
    from .registry import VARIANTS, split
    from .workloads import WORKLOADS

    usable, missing = split(variants)
    for variant, reason in missing.items():
        print(f"  skipped `{variant}`: {reason}", flush=True)
    chosen = Plan(plan["repeats"], Turns(**plan["usual"]), Turns(**plan["budgeted"]))
    result = measure(WORKLOADS[name], usable, chosen)
    result["titles"] = {variant: VARIANTS[variant].title for variant in variants}
    return {**result, "missing": missing}


def _together(name: str, variants: list[str], repeats: int) -> dict[str, Any]:
    from .absence import Absence
    from .registry import split
    from .together import together
    from .workloads import WORKLOADS

    absence = Absence()  # before a variant imports what it needs
    usable, _ = split(variants)
    return together(WORKLOADS[name], usable, absence, repeats)


def _sweep(axis: str, quick: bool, repeats: int | None) -> dict[str, Any]:
    from .sweep import sweep

    return sweep(axis, quick, repeats)


def _flatness(variant: str, steps: int) -> dict[str, Any]:
    from .endurance import flatness
    from .registry import VARIANTS

    reason = VARIANTS[variant]().missing()
    return {"variant": variant, "missing": reason} if reason else flatness(variant, steps)


def _memory(workload: str, variant: str) -> dict[str, Any]:
    from .endurance import memory
    from .registry import VARIANTS

    reason = VARIANTS[variant]().missing()
    return {"variant": variant, "missing": reason} if reason else memory(workload, variant)


KINDS: dict[str, Callable[..., dict[str, Any]]] = {
    "together": _together,
    "workload": _workload,
    "sweep": _sweep,
    "flatness": _flatness,
    "memory": _memory,
}
