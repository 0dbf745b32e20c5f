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
    cases: dict[tuple[str, str], str] = {}
    others, reasons = {}, {}
    for one in ElementTree.fromstring(report).iter("testcase"):
        name, (outcome, reason) = one.get("name", ""), _outcome(one)
        found = _CASE.fullmatch(name)
        if found:
            case = found["program"], found["way"]
            cases[case], reasons[case] = outcome, reason
        else:
            others[f"{one.get('classname', '')}.{name}"] = outcome

    def having(outcome: str) -> dict[str, str]:
        return {"-".join(case): reasons[case] for case in sorted(cases) if cases[case] == outcome}

    return {
        "programs": len({program for program, _ in cases}),
        "ways": 1 + len({way for _, way in cases}),  # plain, which they are compared with
        "compared": sum(one != "skipped" for one in cases.values()),
        "differences": having("failed"),
        "left_out": having("skipped"),
        "others": len(others),
        "others_failed": sorted(name for name, one in others.items() if one == "failed"),
        "others_left_out": sum(one == "skipped" for one in others.values()),
    }


def _outcome(case: ElementTree.Element) -> tuple[str, str]:
    """Whether it passed, and why not. A difference that is known is one, too."""
    for kind in ("failure", "error", "skipped"):
        found = case.find(kind)
        if found is not None:
            is_left_out = kind == "skipped" and found.get("type") != "pytest.xfail"
            reason = (found.get("message") or "").strip().partition("\n")[0]
            reason = reason.removeprefix("AssertionError: ")
            return "skipped" if is_left_out else "failed", reason[:200]
    return "passed", ""
