"""What is reported from the sandbox; that it is run there is in `test_fixing.py`."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

from paramedic.run.fix import tried
from paramedic.run.program import Program
from tests.run.support import script

SHORT = """
import sys
import torch
assert sys.argv == ["train.py", "--steps", "3"], sys.argv
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(int(sys.argv[2])):
    loss = model(torch.ones(4, 2)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
sys.exit(5)
"""


def test_a_program_and_its_course(tmp_path: Path) -> None:
    script(tmp_path, SHORT)
    program = Program("train.py", ("--steps", "3"), folder=str(tmp_path))
    command = tried.command(program, tmp_path, None)
    done = subprocess.run(command, cwd=tmp_path, env=dict(os.environ), check=False)
    assert done.returncode == 5
    report = tried.read((tmp_path / tried.REPORT).read_bytes())
    assert len(report.course.losses) == 3
    assert report.slugs == ()


def test_numbers_that_are_not_finite() -> None:
    told = {"losses": [1.0, math.nan], "epochs": [[0, 1, {"val_loss": math.inf}]], "slugs": ["a"]}
    report = tried.read(json.dumps(told).encode())
    assert math.isnan(report.course.losses[1])
    assert report.course.value("val_loss") == math.inf
    assert report.slugs == ("a",)


def test_nothing_is_imported_before_the_program_does_it() -> None:
    text = "import sys, paramedic.run.fix.tried; print({'torch', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
