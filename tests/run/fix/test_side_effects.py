"""A patch is tried on a program that does all it can; nothing of that is seen afterwards."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import How
from paramedic.experiment.sandbox.possible import FORCED, best
from paramedic.run.fix.fixing import Budget, fix
from paramedic.run.program import Program
from tests.experiment.sandbox.world import NASTY, World, require, world
from tests.run.fix import interrupted
from tests.run.fix.test_fixing import SLOW
from tests.run.support import script, under_watch

# The processes that fork here use none of the threads of torch.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
WHOLE = os.environ.get("PARAMEDIC_STRESS") == "whole"
# What it does besides, it does only where it is tried: here it would do it to us.
BESIDES = """
import os, runpy, sys
folder = os.path.dirname(os.path.abspath(__file__))
if "NASTY" in os.environ:
    os.chdir(folder)
    runpy.run_path(os.environ["NASTY"])
    os.chdir(folder)
"""
SAVED = """
torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
"""


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with world(tmp_path) as made:
        monkeypatch.setattr(tempfile, "tempdir", str(made.temporary))
        monkeypatch.chdir(made.project)
        yield made


@pytest.mark.parametrize("how", list(How))
def test_nothing_is_left(user: World, how: How, monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins where the program began, whatever folder that has changed to."""
    require(how)
    path = script(user.project, BESIDES + SLOW.replace("result.txt", "/dev/null") + SAVED)
    seen = under_watch(path)
    before = user.state()
    environment = {**user.environment, "NASTY": str(NASTY), FORCED: how}
    program = Program("train.py", tuple(user.arguments), environment=environment)
    monkeypatch.chdir(user.root / "elsewhere")
    monkeypatch.setenv("PYTHONPATH", "nowhere")
    said: list[str] = []
    found = fix(seen.outcome, program, Budget(seconds=300), said.append, verify=True)
    assert found.verified, said
    assert user.state() == before
    assert user.wait_until_alone() == []
    assert user.connections() == 0
    assert user.victim.poll() is None


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")
@pytest.mark.parametrize("how", list(How) if WHOLE else [None])
@pytest.mark.parametrize("end", ["kill -9", "SIGTERM", "Ctrl-C"])
def test_whoever_ends_the_command_in_the_middle(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, end: str, how: How | None
) -> None:
    require(how or best())
    with world(tmp_path) as made:
        records = tmp_path_factory.mktemp("records")
        left = interrupted.fix(made, how or best(), records, interrupted.ENDS[end])
    assert left.is_nothing, left


def test_what_it_wanted_is_told(user: World) -> None:
    """Once: the next patch would want it, too."""
    elsewhere = user.root / "elsewhere" / "model.pt"
    path = script(user.project, SLOW.replace("result.txt", str(elsewhere)))
    seen = under_watch(path)
    elsewhere.unlink()
    program = Program("train.py", environment={**user.environment, FORCED: How.GUARD})
    found = fix(seen.outcome, program, Budget(seconds=300), lambda _: None, verify=True)
    (trial,) = found.trials
    assert trial.sentence() == f"not tried: it wanted to write `{elsewhere}`"
    assert not elsewhere.exists()
