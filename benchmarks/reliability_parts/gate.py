"""The gate of `tests/patient_safety`: programs, ways and differences, as pytest tells them."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from reliability_parts.sizes import Sizes

ROOT = Path(__file__).parents[2]
_GATE = "tests/patient_safety"
_CASE = re.compile(r"test_the_program_cannot_tell\[(?P<program>.+)-(?P<way>watch|every-step|run)\]")
_FEW = "-k accumulation or lbfgs"  # for a smoke test


def measure(sizes: Sizes) -> dict[str, Any]:
    """What passed, failed and was left out."""
    if not (ROOT / _GATE / "test_programs.py").is_file():
        return {"skipped": f"there is no {_GATE} in this copy"}
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.xml"
        command = [sys.executable, "-m", "pytest", _GATE, f"--junitxml={result}"]
        subprocess.run([*command, *([] if sizes.whole else [_FEW])], cwd=ROOT, check=False)
        if not result.exists():
            return {"skipped": "pytest did not come to its end"}
        return counted(result.read_text(encoding="utf-8"))


def counted(report: str) -> dict[str, Any]:
    """The cases of the programs, and the other tests of the gate."""
    cases, others = {}, {}
    for one in ElementTree.fromstring(report).iter("testcase"):
        name, outcome = one.get("name", ""), _outcome(one)
        found = _CASE.fullmatch(name)
        if found:
            cases[found["program"], found["way"]] = outcome
        else:
            others[f"{one.get('classname', '')}.{name}"] = outcome
    return {
        "programs": len({program for program, _ in cases}),
        "ways": 1 + len({way for _, way in cases}),  # plain, which they are compared with
        "compared": sum(one in ("passed", "failed") for one in cases.values()),
        "differences": sorted("-".join(case) for case, one in cases.items() if one == "failed"),
        "left_out": sorted("-".join(case) for case, one in cases.items() if one == "skipped"),
        "others": len(others),
        "others_failed": sorted(name for name, one in others.items() if one == "failed"),
        "others_left_out": sum(one == "skipped" for one in others.values()),
    }


def _outcome(case: ElementTree.Element) -> str:
    for kind, outcome in {"failure": "failed", "error": "failed", "skipped": "skipped"}.items():
        if case.find(kind) is not None:
            return outcome
    return "passed"
