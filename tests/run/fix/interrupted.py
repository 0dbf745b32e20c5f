"""`paramedic run --fix` on a program that does all it can where it is tried, to its end or not.

The first run is the user's own: there the program only leaves a mark that it has run.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from paramedic.experiment.sandbox import How
from paramedic.experiment.sandbox.possible import FORCED
from tests.experiment.sandbox.world import NASTY, World

ENDS = {"to its end": None, "kill -9": signal.SIGKILL, "SIGTERM": signal.SIGTERM,
        "Ctrl-C": signal.SIGINT}  # fmt: skip
_SECONDS = 240.0
_RAN = ".has-run"
_PROGRAM = f"""
import os, runpy
import torch
from torch import nn

folder = os.path.dirname(os.path.abspath(__file__))
mark = os.path.join(os.path.expanduser("~"), {_RAN!r})
is_tried = os.path.exists(mark)
if is_tried:
    os.chdir(folder)
    runpy.run_path({str(NASTY)!r})
    os.chdir(folder)
else:
    open(mark, "w").close()
torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x @ torch.randn(8)).sign().add(1).div(2).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=1e-5)
for step in range(150):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
if is_tried:
    torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
"""


@dataclass(frozen=True, slots=True)
class Left:
    """What there is afterwards that was not there before."""

    changed: tuple[str, ...]
    processes: int
    connections: int
    victims: int  # other processes that it has ended
    said: str

    @property
    def is_nothing(self) -> bool:
        return not (self.changed or self.processes or self.connections or self.victims)


def fix(user: World, how: How, records: Path, number: int | None) -> Left:
    """Run it, and send the signal while the program is tried; None lets it come to its end."""
    (user.project / "train.py").write_text(_PROGRAM, encoding="utf-8")
    before = user.state()
    ending = [] if number is None else ["sleep"]
    command = [sys.executable, "-m", "paramedic", "run", "--fix", "train.py", *user.arguments]
    driver = subprocess.Popen(
        [*command, *ending], cwd=user.project, text=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, start_new_session=True,
        env={
            **user.environment, FORCED: how, "PARAMEDIC_HOME": str(records),
            "TORCHINDUCTOR_CACHE_DIR": str(records / "torch"),  # torch makes it, also without us
        },
        # A job in the background of a shell ignores Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        if number is not None:
            _wait_for_trial(user, driver)
            driver.send_signal(number)
        _, said = driver.communicate(timeout=_SECONDS)
    finally:
        driver.kill()
        driver.wait()
    processes = len(user.wait_until_alone())
    after = user.state()
    names = {one for one in before | after if before.get(one) != after.get(one)}
    changed = tuple(sorted(names - {str(user.home / _RAN)}))
    ended = user.victim.poll() is not None
    return Left(changed, processes, user.connections(), int(ended), said)


def _wait_for_trial(user: World, driver: subprocess.Popen[str]) -> None:
    """Until the program, or what it has started, sleeps."""
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and driver.poll() is None:
        if any(_is_asleep(one) for one in user.processes() if one != driver.pid):
            return
        time.sleep(0.05)
    raise AssertionError("the program was not seen where it is tried")


def _is_asleep(process: int) -> bool:
    try:
        words = Path("/proc", str(process), "cmdline").read_bytes()
        where = Path("/proc", str(process), "wchan").read_text(encoding="utf-8")
    except OSError:
        return False
    return not words.startswith(b"sleep") and "nanosleep" in where
