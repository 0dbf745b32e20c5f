"""SIGTERM ends a watched program as it ends Python, after the report."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from paramedic.run.termination import on_termination
from paramedic.trace import Trace
from tests.run.support import script
from tests.run.test_program import ENVIRONMENT
from tests.run.test_watcher import HEAD

ENDLESS = (
    HEAD
    + """
import atexit
atexit.register(print, "exit handler")
m = net()
opt = torch.optim.SGD(m.parameters(), 1e-6)
try:
    while True:
        train(m, opt, 100)
        print("trained", flush=True)
except BaseException:
    print("not reached")
finally:
    print("not reached either")
"""
)


def _ended(folder: Path, *options: str, after: int = 3) -> tuple[int, str, str]:
    """Exit code and output of `train.py`, sent SIGTERM after some lines of its output."""
    process = subprocess.Popen(
        [sys.executable, "-m", "paramedic", "run", *options, "train.py"], cwd=folder,
        env={**ENVIRONMENT, "PARAMEDIC_HOME": str(folder / "home")},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    before = "".join(process.stdout.readline() for _ in range(after))
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    return process.returncode, before + out, err


def test_the_report_is_written_and_the_program_ends_of_the_signal(tmp_path: Path) -> None:
    script(tmp_path, ENDLESS)
    files = ["--json", "x.json", "--html", "x.html", "--trace", "x.db"]
    code, out, err = _ended(tmp_path, *files)
    assert code == -signal.SIGTERM  # 143 in a shell
    assert set(out.splitlines()) <= {"trained"}
    assert "SIGTERM" in err
    found = json.loads((tmp_path / "x.json").read_text())
    assert found["steps"] >= 200
    assert found["trainings"][0]["findings"]
    assert (tmp_path / "x.html").stat().st_size > 10_000
    with Trace.open(tmp_path / "x.db") as trace:
        assert trace.last_step + 1 == found["steps"]
        assert trace.meta("diagnosis") is not None
    assert not (tmp_path / "x.db-wal").exists()


def test_nothing_is_said_if_nothing_is_to_be_said(tmp_path: Path) -> None:
    script(tmp_path, ENDLESS)
    code, _, err = _ended(tmp_path, "--quiet", "--json", "x.json")
    assert (code, err) == (-signal.SIGTERM, "")
    assert json.loads((tmp_path / "x.json").read_text())["steps"]


def test_before_the_program_has_begun_to_train(tmp_path: Path) -> None:
    script(tmp_path, "import time\nprint('ready', flush=True)\ntime.sleep(60)")
    code, _, err = _ended(tmp_path, "--json", "x.json", after=1)
    assert code == -signal.SIGTERM
    assert "Traceback" not in err
    assert (tmp_path / "x.json").exists()


def test_a_handler_of_the_program(tmp_path: Path) -> None:
    text = """
import signal, sys, time
seen = [signal.getsignal(signal.SIGTERM) is signal.SIG_DFL]
def handler(number, frame):
    print("mine", flush=True)
    sys.exit(5)
seen.append(signal.signal(signal.SIGTERM, handler) is signal.SIG_DFL)
seen.append(signal.getsignal(signal.SIGTERM) is handler)
seen.append(signal.signal(signal.SIGTERM, signal.SIG_DFL) is handler)
seen.append(signal.signal(signal.SIGTERM, handler) is signal.SIG_DFL)
print(seen, flush=True)
time.sleep(60)
"""
    script(tmp_path, text)
    code, out, _ = _ended(tmp_path, "--json", "x.json", after=1)
    assert (code, out) == (5, "[True, True, True, True, True]\nmine\n")
    assert (tmp_path / "x.json").exists()


@pytest.mark.parametrize("watched", [False, True])
def test_processes_of_the_program_end_as_always(watched: bool, tmp_path: Path) -> None:
    text = """
import multiprocessing, os, signal, time
def work():
    print(repr(signal.getsignal(signal.SIGTERM)), flush=True)
    try:
        time.sleep(60)
    finally:
        print("not reached", flush=True)
child = multiprocessing.get_context("fork").Process(target=work)
child.start()
time.sleep(0.5)
child.terminate()
child.join()
print(child.exitcode)
"""
    path = script(tmp_path, text)
    command = ["-m", "paramedic", "run", "--quiet", "--exit-zero"] if watched else []
    done = subprocess.run(
        [sys.executable, *command, str(path)], env=ENVIRONMENT, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout == "<Handlers.SIG_DFL: 0>\n-15\n"
    assert done.stderr == ""


def test_what_the_program_sees_is_the_default() -> None:
    before = signal.signal, signal.getsignal
    with on_termination(lambda: None):
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert signal.signal(signal.SIGTERM, print) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is print
        assert signal.signal(signal.SIGTERM, signal.SIG_DFL) is print
        assert signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
    assert (signal.signal, signal.getsignal) == before
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_handler_that_is_there_already_stays() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with on_termination(lambda: None):
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_other_threads_cannot_set_handlers() -> None:
    errors = []

    def work() -> None:
        try:
            with on_termination(lambda: None):
                pass
        except ValueError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert errors == []
