"""Processes that a program starts."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from importlib.machinery import PathFinder
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from paramedic.run import children as children_module
from paramedic.run.children import Children, sentence
from paramedic.run.patching import Patches
from tests.run.support import script
from tests.run.test_program import ENVIRONMENT

PROGRAM = """
import torch
import torch.multiprocessing as mp

def train(rank, steps):
    torch.manual_seed(rank)
    model = torch.nn.Linear(4, 1)
    opt = torch.optim.SGD(model.parameters(), 0.01)
    for _ in range(steps):
        opt.zero_grad()
        model(torch.ones(8, 4)).pow(2).mean().backward()
        opt.step()

if __name__ == "__main__":
    context = mp.get_context("{how}")
    several = [context.Process(target=train, args=(rank, {steps})) for rank in range(2)]
    for one in several: one.start()
    for one in several: one.join()
    print([one.exitcode for one in several])
"""


def _shown(folder: Path, how: str, steps: int) -> subprocess.CompletedProcess[str]:
    path = script(folder, PROGRAM.format(how=how, steps=steps))
    return subprocess.run(
        [sys.executable, "-m", "paramedic", "run", str(path)],
        env={**ENVIRONMENT, "TMPDIR": str(folder)}, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize("how", ["spawn", "fork"])
def test_children_that_train_are_reported(how: str, tmp_path: Path) -> None:
    shown = _shown(tmp_path, how, 3)
    assert shown.stdout == "[0, 0]\n", shown.stderr
    assert "only child processes trained, and these are not watched" in shown.stderr
    assert "2 child processes trained and were not watched" in shown.stderr
    assert not list(tmp_path.glob("paramedic-children-*"))


def test_children_that_do_not_train_are_not(tmp_path: Path) -> None:
    shown = _shown(tmp_path, "spawn", 0)
    assert "no optimizer took a step in this process" in shown.stderr
    assert "not watched" not in shown.stderr


def test_one_and_several() -> None:
    assert sentence(1).startswith("1 child process trained and was not watched")
    assert sentence(3).startswith("3 child processes trained and were not watched")


def test_a_process_is_as_it_was_after_its_start() -> None:
    patches, children = Patches(), Children()
    original = BaseProcess.start
    children.open(patches)
    try:
        process = multiprocessing.get_context("spawn").Process(target=os.getpid)
        process.start()
        assert process._target is os.getpid  # type: ignore[attr-defined]
        process.join()
        assert process.exitcode == 0
    finally:
        patches.remove()
        assert children.close() == 0
    assert BaseProcess.start is original


def test_a_child_that_could_not_import_us_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the import path of this process, from which the program may take things."""
    monkeypatch.setattr(PathFinder, "find_spec", lambda name: None)
    process = multiprocessing.get_context("spawn").Process(target=os.getpid)
    assert not children_module._is_started_anew(process, os.getpid)
