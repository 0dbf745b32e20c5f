"""Runs a driver under `paramedic run`, in a process and a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ecosystem.cases import Case

SECONDS = 400  # that a run may take


def run_all(cases: list[Case], out: Path, jobs: int, *, again: bool) -> None:
    """Run what has no result yet (or everything, `again`), and keep each result in a file."""
    out.mkdir(parents=True, exist_ok=True)
    left = [case for case in cases if again or not result_file(case, out).exists()]
    with ThreadPoolExecutor(jobs) as pool:
        for number, (case, seconds) in enumerate(pool.map(lambda c: _run(c, out), left), 1):
            print(f"[{number}/{len(left)}] {case.key} ({seconds:.0f} s)", flush=True)


def result_file(case: Case, out: Path) -> Path:
    """Where the result of a case is kept."""
    return out / f"{case.key}.json"


def _run(case: Case, out: Path) -> tuple[Case, float]:
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="ecosystem-") as folder:
        found = _result(case, Path(folder))
    seconds = time.perf_counter() - begin
    result_file(case, out).write_text(json.dumps({**found, "seconds": round(seconds, 1)}, indent=1))
    return case, seconds


def _result(case: Case, folder: Path) -> dict[str, Any]:
    command = [
        sys.executable, "-W", "ignore", "-m", "paramedic", "run",
        "--json", str(folder / "report.json"), "--trace", str(folder / "run.db"),
        str(case.file), *(["--mistake"] if case.mistake else []),
    ]  # fmt: skip
    own = {"ECOSYSTEM_OUTCOME": str(folder / "outcome.json"), "OMP_NUM_THREADS": "1"}
    work = folder / "work"
    work.mkdir()
    try:
        done = subprocess.run(
            command, cwd=work, env={**os.environ, **own}, capture_output=True, timeout=SECONDS,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"outcome": None, "report": None, "error": f"it did not end within {SECONDS} s"}
    error = "" if (folder / "outcome.json").exists() else done.stderr.decode()[-2000:]
    return {
        "outcome": _read(folder / "outcome.json"),
        "report": _read(folder / "report.json"),
        "error": error,
    }


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
