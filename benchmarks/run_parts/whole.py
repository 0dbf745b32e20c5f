"""Whole scripts, by the clock on the wall: by Python, and by `paramedic run`, in turns."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).parent / "scripts"
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
RUN = ("-m", "paramedic", "run", "--quiet", "--exit-zero")
SHORT = ("healthy/left_in_eval", "healthy/tiny_learning_rate")  # of the examples
IMPORT = "import torch\n"
ONE_STEP = """\
import torch
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = torch.nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.zeros(8).long())
loss.backward()
optimizer.step()
"""


def start(repeats: int) -> dict[str, Any]:
    """A script that only imports torch, and one that takes a single step."""
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name, text in (("import torch", IMPORT), ("one step", ONE_STEP)):
            script = Path(folder) / "script.py"
            script.write_text(text)
            found[name] = in_turns([str(script)], repeats, Path(folder))
            print(f"start, {name}: {found[name]}", flush=True)
    return {"scripts": found}


def scripts(repeats: int) -> dict[str, Any]:
    """Scripts of a few seconds, and of about a minute."""
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name in SHORT:
            found[name] = in_turns([str(EXAMPLES / f"{name}.py")], repeats, Path(folder))
            print(f"whole, {name}: {found[name]}", flush=True)
        for name, steps in (("char_gpt", 800), ("tiny_mlp", 30_000)):
            words = [str(SCRIPTS / f"{name}.py"), str(steps)]
            title = f"{name}, {steps:,} steps"
            found[title] = in_turns(words, max(repeats // 2, 2), Path(folder))
            print(f"whole, {title}: {found[title]}", flush=True)
    return {"scripts": found}


def in_turns(words: Sequence[str], repeats: int, folder: Path) -> dict[str, list[float]]:
    """The seconds of each run, on the wall and of the processor; the order changes from turn to
    turn, the first turn is lost."""
    ways: dict[str, tuple[str, ...]] = {"python": (), "run": RUN}
    found: dict[str, list[float]] = {
        f"{name}{kind}": [] for name in ways for kind in ("", "_processor")
    }
    for turn in range(repeats + 1):
        for name in sorted(ways, reverse=turn % 2 == 1):
            wall, processor = _seconds([sys.executable, *ways[name], *words], folder)
            if turn:
                found[name].append(round(wall, 4))
                found[f"{name}_processor"].append(round(processor, 4))
    return found


def _seconds(command: Sequence[str], folder: Path) -> tuple[float, float]:
    before, begin = os.times(), time.perf_counter()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    processor = after.children_user - before.children_user
    processor += after.children_system - before.children_system
    return time.perf_counter() - begin, processor
