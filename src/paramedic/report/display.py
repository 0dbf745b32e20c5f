"""The display of a run in the terminal: a panel that changes, or lines where there is none."""

from __future__ import annotations

import io
import logging
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TextIO

import numpy as np
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from paramedic.diagnose.status import Status
from paramedic.report.closing import closing
from paramedic.report.glyphs import fitting
from paramedic.report.panel import panel, plain
from paramedic.report.region import Region, is_terminal, region_of
from paramedic.run.crier import bars_aside
from paramedic.types import Pulse, Remedy

_POINTS = 256  # of the curve of the loss that is kept
_LEAST_HEIGHT = 6  # lines of a terminal that has room for a panel
_COLOURS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
}
_FIRST_LINE, _LONGEST = 2.0, 60.0  # seconds between plain lines: at first, and at most


class Trail:
    """The curve of the loss from the first step on, in points of as many steps each."""

    def __init__(self) -> None:
        self.points: list[float] = []
        self._each = 1  # steps of a point
        self._open: list[float] = []
        self._last = -1

    def follow(self, pulse: Pulse) -> None:
        """Take what is new. Losses that were not seen leave no mark; those that are not finite
        make their point so."""
        new = pulse.step > self._last
        if not new.any():
            return
        self._last = int(pulse.step[-1])
        unseen = np.isnan(pulse.loss) & pulse.finite
        self._open += pulse.loss[new & ~unseen].tolist()
        while len(self._open) >= self._each:
            part, self._open = self._open[: self._each], self._open[self._each :]
            self.points.append(sum(part) / len(part))
        while len(self.points) > _POINTS:
            pairs = zip(self.points[::2], self.points[1::2], strict=False)
            self.points = [(one + two) / 2 for one, two in pairs]
            self._each *= 2


class _Lines(logging.Handler):
    """What is found, as whole lines above the panel and the program's progress bars."""

    def __init__(self, region: Region) -> None:
        super().__init__(logging.WARNING)
        self._region = region

    def emit(self, record: logging.LogRecord) -> None:
        with bars_aside():
            self._region.new_line()
            self._region.stream.write(f"paramedic: {record.getMessage()}\n")


class Terminal:
    """Shows one run on stderr; `summary` tells whether something is left there at the end,
    `heading` is a line of whoever uses it, above the others.

    On a terminal it is a panel under whatever the program prints; elsewhere a line now and then.
    `NO_COLOR` and `TERM=dumb` are honoured.
    """

    def __init__(self, *, heading: str = "", summary: bool = True) -> None:
        self.heading = heading
        self._summary = summary
        self._stream: TextIO = sys.stderr
        self._glyphs = fitting(getattr(self._stream, "encoding", None))
        self._region = region_of(self._stream) if is_terminal(self._stream) else None
        self._console = Console(
            file=io.StringIO(), force_terminal=self._region is not None, legacy_windows=False
        )
        self._trail = Trail()
        self._drawn = False
        self._lines = None if self._region is None else _Lines(self._region)
        self._next, self._wait = -math.inf, _FIRST_LINE

    @property
    def seconds(self) -> float:
        """Spent around what the program prints."""
        return 0.0 if self._region is None else self._region.seconds

    def show(self, status: Status) -> None:
        """A new picture."""
        try:
            self._trail.follow(status.pulse)
            if self._region is None:
                self._show_line(status)
            else:
                self._show_panel(status, self._region)
        except BaseException:
            self.clear()
            raise

    def _show_panel(self, status: Status, region: Region) -> None:
        columns, height = region.size()
        lines = panel(status, self._trail.points, columns - 1, self._glyphs, self.heading)
        room = height - 3
        if not self._drawn:
            self._open(region)
        shown = [self._ansi(line) for line in lines[:room]] if height >= _LEAST_HEIGHT else []
        region.draw(shown)

    def _open(self, region: Region) -> None:
        """Where nobody has set up logging, what is logged would break into progress bars."""
        region.open()
        self._drawn = True
        logger = logging.getLogger("paramedic")
        if self._lines is not None and not logger.hasHandlers():
            logger.addHandler(self._lines)

    def _show_line(self, status: Status) -> None:
        now = monotonic()
        if self._next == -math.inf:  # what is over soon needs no lines but the last
            self._next = now + self._wait
        if now < self._next:
            return
        self._wait = min(1.5 * self._wait, _LONGEST)
        self._next = now + self._wait
        self._stream.write(f"paramedic: {plain(status, self._glyphs)}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Nothing of it stays on the screen."""
        if self._region is not None and self._drawn:
            self._drawn = False
            if self._lines is not None:
                logging.getLogger("paramedic").removeHandler(self._lines)
            self._region.close()

    def close(self, status: Status, remedies: Sequence[Remedy], trace: Path | None) -> None:
        """The summary, which stays."""
        self.clear()
        if not self._summary:
            return
        self._trail.follow(status.pulse)
        # A file or a pipe is read by something that does not mind long lines.
        columns, height = (200, 200) if self._region is None else self._region.size()
        size = (columns - 1, height)
        lines = closing(status, self._trail.points, remedies, trace, size, self._glyphs)
        self._stream.write("".join(f"{self._ansi(line)}\n" for line in lines))
        self._stream.flush()

    def _ansi(self, line: Text) -> str:
        """With colours if the terminal has them, and nobody has said `NO_COLOR`."""
        segments = line.render(self._console)
        if self._console.no_color:
            segments = Segment.remove_color(segments)
        colours = _COLOURS.get(self._console.color_system or "")
        return "".join(
            one.style.render(one.text, color_system=colours) if one.style else one.text
            for one in segments
        )
