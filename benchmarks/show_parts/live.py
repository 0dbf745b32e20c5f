"""The live page: first paint, the way of a step to the screen, a hundred listeners."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from show_parts.browser import Chromium, median
from show_parts.clients import Clients
from show_parts.entry import Entry
from show_parts.sizes import Sizes
from show_parts.traces import Run

_TIMES = 5
_GROWTH = 40  # steps per update
_PAUSE = 1.0  # seconds between two updates
_DRAWN = "return Number(document.documentElement.dataset.step) >= 0"
_LISTED = "return document.querySelectorAll('.line:not([data-state=unread])').length === {runs}"


def measure(folder: Path, sizes: Sizes) -> dict[str, Any]:
    """All of it, with a server in a process of its own."""
    growing, dense = _runs(folder / "runs", sizes)
    found: dict[str, Any] = {
        "runs": sizes.runs, "steps": sizes.steps, "layers": sizes.layers,
        "looks": sizes.steps // sizes.every, "dense_looks": sizes.steps // sizes.dense,
        "megabytes": round(growing.writer.path.stat().st_size / 1e6, 1),
        "dense_megabytes": round(dense.stat().st_size / 1e6, 1),
    }  # fmt: skip
    with Chromium() as browser:
        cold = []
        for _ in range(_TIMES):
            with _server(folder / "runs") as (_, entry):
                identifiers = entry.runs()
                browser.enter(entry)
                cold.append(browser.open(f"{entry.url}run/{identifiers['growing.db']}", _DRAWN))
        found["cold"] = _opened(cold)
        with _server(folder / "runs") as (process, entry):
            browser.enter(entry)
            url, listed = entry.url, _LISTED.format(runs=sizes.runs)
            found["list_cold"] = _opened([browser.open(url, listed)])
            found["list"] = _opened([browser.open(url, listed) for _ in range(_TIMES)])
            heavy, page = (f"{url}run/{identifiers[name]}" for name in ("dense.db", "growing.db"))
            found["dense_cold"] = _opened([browser.open(heavy, _DRAWN)])
            found["warm"] = _opened([browser.open(page, _DRAWN) for _ in range(_TIMES)])
            busy = _seconds(process.pid)
            found["update"] = _updates(browser, growing, sizes.updates)
            found["update"]["server"] = round((_seconds(process.pid) - busy) / sizes.updates, 4)
            found["bytes"] = len(entry.get(f"run/{identifiers['growing.db']}/view?width=960"))
            found["clients"] = _listeners(f"{page}/events?width=960", entry, growing, sizes)
            found["memory"] = _memory(process.pid)
    growing.writer.close()
    return found


def _runs(folder: Path, sizes: Sizes) -> tuple[Run, Path]:
    """Copies of one run, one that will grow, and one that was looked at often."""
    folder.mkdir()
    growing = Run(folder / "growing.db", sizes.layers, sizes.every)
    growing.go(sizes.steps)
    growing.end_epochs()
    dense = Run(folder / "dense.db", sizes.layers, sizes.dense, full=True)
    dense.go(sizes.steps)
    dense.writer.close()
    ended = Run(folder / "ended-0.db", sizes.layers, sizes.every)
    ended.go(sizes.steps)
    ended.end_epochs()
    ended.writer.close()
    for number in range(1, sizes.runs - 2):
        shutil.copy(folder / "ended-0.db", folder / f"ended-{number}.db")
    return growing, folder / "dense.db"


@contextmanager
def _server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], Entry]]:
    command = [sys.executable, "-m", "paramedic", "live", str(folder), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield process, Entry.by(found.group())
    finally:
        process.terminate()
        process.wait()


def _opened(opened: list[Any]) -> dict[str, float]:
    return {
        "paint": median([one.paint for one in opened]),
        "drawn": median([one.drawn for one in opened]),
    }


def _updates(browser: Chromium, run: Run, count: int) -> dict[str, float]:
    """From the commit of the writer until the page has painted the step."""
    seconds = []
    for _ in range(count):
        run.go(_GROWTH)
        committed, last = time.time(), run.step - 1
        browser.wait(f"return window.noted.some((one) => one.step >= {last})")
        at = next(one["clock"] for one in browser.noted() if one["step"] >= last)
        seconds.append(at - committed)
        time.sleep(_PAUSE)
    seconds.sort()
    return {
        "median": median(seconds),
        "worst": round(seconds[-1], 4),
        "p90": round(seconds[int(0.9 * (len(seconds) - 1))], 4),
        "count": count,
    }


def _listeners(address: str, entry: Entry, run: Run, sizes: Sizes) -> dict[str, float]:
    """From the commit until the first and the last of many clients have heard of it."""
    first, last = [], []
    with Clients(address, entry.cookie, sizes.clients) as clients:
        for _ in range(max(sizes.updates // 3, 3)):
            run.go(_GROWTH)
            times = clients.heard(run.step - 1, time.time())
            first.append(min(times))
            last.append(max(times))
            time.sleep(_PAUSE)
    return {
        "count": sizes.clients,
        "first": median(first),
        "last": median(last),
        "worst": round(max(last), 4),
    }


def _seconds(process: int) -> float:
    """The time of a processor that it has taken so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(process: int) -> float:
    """Megabytes, resident."""
    for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0
