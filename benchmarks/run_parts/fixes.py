"""`paramedic run --fix` on the sick examples; does the patched script end where its twin does?

Each sick script is copied, run and patched (`--write`); then the sick, the patched and the healthy
script are run in one process and judged by what was recorded: the validation loss at the end if
there is one, else accuracy, else the training loss.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

METRICS = ("val_loss", "val_acc", "training loss")
KINDS = ("sick", "patched", "twin")


def measured(examples: Path) -> dict[str, Any]:
    """A row per example."""
    rows = []
    for path in sorted((examples / "sick").glob("*.py")):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(_row(path, examples / "healthy" / path.name, Path(folder)))
        print(f"fixes: {rows[-1]}", flush=True)
    return {"rows": rows}


def _row(sick: Path, healthy: Path, folder: Path) -> dict[str, Any]:
    for kind, source in zip(KINDS, (sick, sick, healthy), strict=True):
        (folder / kind).mkdir()
        shutil.copy(source, folder / kind / sick.name)
    report = _patched(folder / "patched" / sick.name)
    scripts = [str(folder / kind / sick.name) for kind in KINDS]
    done = subprocess.run(
        [sys.executable, __file__, *scripts], capture_output=True, text=True, check=True
    )
    return row(sick, report, json.loads(done.stdout))


def _patched(script: Path) -> dict[str, Any]:
    """Patch a script in its place; the report."""
    command = [
        sys.executable, "-m", "paramedic", "run", "--quiet", "--exit-zero", "--json", "report.json",
        "--fix", "--write", script.name,
    ]  # fmt: skip
    subprocess.run(command, cwd=script.parent, capture_output=True, check=True)
    found: dict[str, Any] = json.loads((script.parent / "report.json").read_text(encoding="utf-8"))
    return found


def row(sick: Path, report: dict[str, Any], ends: list[dict[str, Any]]) -> dict[str, Any]:
    """What came of one example: the report of the sick script, and how all three ended."""
    findings = [one for training in report["trainings"] for one in training["findings"]]
    root = _cause(findings)
    verified = [cure for one in findings for cure in one["remedies"] if cure["verified"]]
    lines = sick.read_text(encoding="utf-8").splitlines()
    metric = next(one for one in METRICS if all(end["values"][one] is not None for end in ends))
    return {
        "name": sick.stem,
        "root": root.get("slug"),
        "source": lines[root["source"][0]["line"] - 1].strip() if root["source"] else None,
        "remedy": verified[0]["slug"] if verified else None,
        "metric": metric,
        **{kind: end["values"][metric] for kind, end in zip(KINDS, ends, strict=True)},
        "verdicts": {kind: end["verdict"] for kind, end in zip(KINDS, ends, strict=True)},
        "exit_codes": {kind: end["exit_code"] for kind, end in zip(KINDS, ends, strict=True)},
    }


def _cause(findings: list[dict[str, Any]]) -> dict[str, Any]:
    """The fault, or the most likely cause; what else was found, if there is none."""
    causes = [one for one in findings if one["role"] in ("fault", "suspicion")]
    return next(iter(causes or findings), {"source": []})


def ended(script: str) -> dict[str, Any]:
    """Run a script under watch, in this process: its verdict, and its metrics at the end."""
    from paramedic.run.crier import Crier
    from paramedic.run.fix.course import course_of_record
    from paramedic.run.program import Program
    from paramedic.run.running import watched
    from paramedic.run.settings import Settings

    with contextlib.redirect_stdout(io.StringIO()):
        outcome, _ = watched(Program(script), Settings(), Crier(quiet=True))
    course = course_of_record(outcome.records[0])
    values = {metric: course.value(metric) for metric in METRICS}
    verdict = str(outcome.assessment.verdict)
    return {"verdict": verdict, "exit_code": outcome.exit_code, "values": values}


if __name__ == "__main__":
    print(json.dumps([ended(script) for script in sys.argv[1:]]))
