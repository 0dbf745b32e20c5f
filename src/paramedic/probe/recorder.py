"""Keeps what was seen: the rolling memory of the live run, and the trace file if there is one."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from paramedic.probe.idle import Note
from paramedic.trace import History, Writer
from paramedic.types import Chart, Epoch, Event, Frame, Window

_FRAMES = 64  # that a window shows
_MOST_NOTED = 128  # steps whose losses wait before they are told together


class Recorder:
    """Sends everything to both ends; losses are told late, in bundles, but before all else."""

    def __init__(self, writer: Writer | None) -> None:
        self.writer = writer
        self._history = History(_FRAMES)
        self._fresh: deque[Frame] = deque(maxlen=_FRAMES)  # not remembered yet
        self.notes: list[Note] = []  # steps that are not told yet

    def chart(self, chart: Chart) -> None:
        """What does not change; called again when it does after all."""
        self._history.set_chart(chart)
        if self.writer is not None:
            self.writer.chart(chart)

    def pulse(self, step: int, loss: float | Tensor | None, finite: bool, skipped: bool) -> None:
        """Every step: only noted here, and told in one go when somebody wants to know."""
        self.notes.append((step, loss, finite, skipped))
        if len(self.notes) >= _MOST_NOTED:
            self.settle()

    def settle(self) -> None:
        """Tell the steps noted so far; losses on another device are fetched with one transfer."""
        noted = self.notes[:]
        self.notes.clear()
        late = [loss.float().reshape(()) for _, loss, _, _ in noted if isinstance(loss, Tensor)]
        fetched = iter(torch.stack(late).tolist() if late else ())
        for step, loss, finite, skipped in noted:
            if isinstance(loss, Tensor):
                loss = next(fetched)
                finite = math.isfinite(loss)
            self._pulse(step, math.nan if loss is None else loss, finite, skipped)

    def _pulse(self, step: int, loss: float, finite: bool, skipped: bool) -> None:
        self._history.add_pulse(step, loss, finite, skipped)
        if self.writer is not None:
            self.writer.pulse(step, loss, finite, skipped)

    def amend_loss(self, loss: float) -> None:
        """The user handed in the loss of the newest step."""
        self.settle()
        self._remember()
        self._history.amend_loss(loss, math.isfinite(loss))
        if self.writer is not None:
            self.writer.amend_loss(loss, math.isfinite(loss))

    def frame(self, frame: Frame) -> None:
        """A step that was looked at. The memory takes it in when somebody looks at a window."""
        self._fresh.append(frame)
        if self.writer is not None:
            self.writer.frame(frame)

    def epoch(self, epoch: Epoch) -> None:
        self.settle()
        self._history.add_epoch(epoch)
        if self.writer is not None:
            self.writer.epoch(epoch)

    def event(self, event: Event) -> None:
        self.settle()
        self._history.add_event(event)
        if self.writer is not None:
            self.writer.event(event)

    def window(self) -> Window:
        """The last frames, as detectors read them."""
        self.settle()
        self._remember()
        return self._history.window()

    def _remember(self) -> None:
        while self._fresh:
            self._history.add_frame(self._fresh.popleft())

    def close(self, meta: Mapping[str, Any]) -> None:
        """Write what is left."""
        self.settle()
        if self.writer is not None:
            for key, value in meta.items():
                self.writer.meta(key, value)
            self.writer.close()
