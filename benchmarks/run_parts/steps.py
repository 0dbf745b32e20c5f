"""What a step of a running script costs, by processes in which plain and watched steps take
turns (`turns.py`)."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

SCRIPTS = Path(__file__).parent / "scripts"
# Steps that are watched before, and pairs of steps that are compared.
PLANS = {"char_gpt": (400, 600), "tiny_mlp": (4000, 8000)}


def measured(repeats: int) -> dict[str, Any]:
    """For each script the ratio of watched to plain steps, one number per process."""
    found: dict[str, Any] = {name: [] for name in PLANS}
    for _ in range(repeats):
        for name in PLANS:
            done = subprocess.run(
                [sys.executable, __file__, name], capture_output=True, text=True, check=True
            )
            found[name].append(json.loads(done.stdout.splitlines()[-1]))
            print(f"steps, {name}: {found[name][-1]}", flush=True)
    return {"scripts": found}


def main(name: str) -> None:
    """One process: the ratio, as JSON."""
    here = Path(__file__).parent.parent
    sys.path[:0] = [str(here), str(here.parent / "src")]
    from overhead_parts.together import compared

    from paramedic.run.crier import Crier
    from paramedic.run.program import Program
    from paramedic.run.running import watched
    from paramedic.run.settings import Settings
    from run_parts.turns import Turns

    begin, pairs = PLANS[name]
    turns = Turns(begin)
    turns.install()
    program = Program(str(SCRIPTS / f"{name}.py"), (str(begin + 2 * pairs + 3),))
    with contextlib.redirect_stdout(io.StringIO()):
        outcome, _ = watched(program, Settings(), Crier(quiet=True))
    count = min(len(turns.plain) - 1, len(turns.watched))
    plain, ours = np.array(turns.plain[: count + 1]), np.array(turns.watched[:count])
    kinds = np.array(turns.kinds[:count])
    found = {
        clock: compared(plain[:, column], ours[:, column], kinds)
        for column, clock in enumerate(("wall", "processor"))
    }
    print(json.dumps({**found, "verdict": outcome.verdict}))


if __name__ == "__main__":
    main(sys.argv[1])
