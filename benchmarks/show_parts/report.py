"""The report: how large it is, and how long it takes to make and to open."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from paramedic.report.gathering import page_of
from paramedic.report.html import write
from show_parts.browser import Chromium, median
from show_parts.sizes import Sizes
from show_parts.traces import Run

_TIMES = 5


def measure(folder: Path, sizes: Sizes) -> dict[str, Any]:
    """A run with a look at every tenth step, judged by a replay, written and opened."""
    trace, page = folder / "report.db", folder / "report.html"
    run = Run(trace, sizes.layers, 10)
    run.go(sizes.report_steps)
    run.end_epochs()
    run.writer.close()
    seconds = []
    for _ in range(_TIMES):
        begin = time.perf_counter()
        size = write(page_of([trace]), page)
        seconds.append(time.perf_counter() - begin)
    with Chromium() as browser:
        opened = [
            browser.open(page.as_uri(), "return document.documentElement.dataset.ready === 'true'")
            for _ in range(_TIMES)
        ]
    return {
        "steps": sizes.report_steps,
        "layers": sizes.layers,
        "bytes": size,
        "seconds": median(seconds),
        "paint": median([one.paint for one in opened]),
        "drawn": median([one.drawn for one in opened]),
    }
