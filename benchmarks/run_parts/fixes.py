"""`paramedic run --fix` on the sick examples; does the patched script end where its twin does?

Each sick script is copied, run, patched (`--write`) and run again; its healthy twin is run too.
All are judged by what their own runs recorded: the validation loss at the end if there is one,
else accuracy, else the training loss.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

METRICS = ("val_loss", "val_acc", "training loss")


def measured(examples: Path) -> dict[str, Any]:
    """A row per example."""
    rows = []
    for path in sorted((examples / "sick").glob("*.py")):
        with tempfile.TemporaryDirectory() as folder:
            row = _row(path, examples / "healthy" / path.name, Path(folder))
        rows.append({"name": path.stem, **row})
        print(f"fixes, {path.stem}: {rows[-1]}", flush=True)
    return {"rows": rows}


def _row(sick: Path, healthy: Path, folder: Path) -> dict[str, Any]:
    script = folder / "train.py"
    shutil.copy(sick, script)
    begin = time.monotonic()
    report, diff = _run(script, folder, "--fix", "--write")
    seconds = time.monotonic() - begin
    root = report["findings"][0] if report["findings"] else {}
    verified = [one for one in root.get("remedies", []) if one["verified"]]
    source = root.get("source", [{}])[0]
    lines = sick.read_text(encoding="utf-8").splitlines()
    row: dict[str, Any] = {
        "root": root.get("slug"),
        "line": source.get("line"),
        "source": lines[source["line"] - 1].strip() if source else None,
        "remedy": verified[0]["slug"] if verified else None,
        "changed": [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in
                    ("+++", "---")],
        "seconds": round(seconds, 1),
    }  # fmt: skip
    courses = {"sick": _course(report, folder), "patched": _ended(script, folder, "patched")}
    shutil.copy(healthy, folder / "twin.py")
    courses["twin"] = _ended(folder / "twin.py", folder, "twin")
    return {**row, **_compared(courses)}


def _run(script: Path, folder: Path, *options: str) -> tuple[dict[str, Any], str]:
    report = folder / "report.json"
    command = [
        sys.executable, "-m", "paramedic", "run", "--quiet", "--exit-zero", "--json", str(report),
        "--trace", str(folder / f"{script.stem}.db"), *options, script.name,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    _, marker, diff = done.stdout.partition("--- ")
    return json.loads(report.read_text(encoding="utf-8")), marker + diff


def _ended(script: Path, folder: Path, name: str) -> dict[str, Any]:
    copy = script.rename(folder / f"{name}.py")
    report, _ = _run(copy, folder)
    return _course(report, folder)


def _course(report: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What a run came to, by its trace."""
    from paramedic.run.fix.trial import course_of

    course = course_of(folder / Path(report["trace"]).name)
    values = {metric: course.value(metric) for metric in METRICS}
    return {"verdict": report["verdict"], "steps": report["steps"], "values": values}


def _compared(courses: dict[str, dict[str, Any]]) -> dict[str, Any]:
    metric = next(
        one for one in METRICS if all(c["values"][one] is not None for c in courses.values())
    )
    return {
        "metric": metric,
        "steps": courses["twin"]["steps"],
        **{name: course["values"][metric] for name, course in courses.items()},
        "verdicts": {name: course["verdict"] for name, course in courses.items()},
    }
