"""Keeps what was seen: the rolling memory of the live run, and the trace file if there is one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from paramedic.trace import History, Writer
from paramedic.types import Chart, Epoch, Event, Frame, Window

_MOST_LATE = 64  # losses that wait on another device before they are fetched together


class Recorder:
    """Sends everything to both ends; a loss on another device is fetched late, not waited for."""

    def __init__(self, writer: Writer | None) -> None:
        self.writer = writer
        self._history = History()
        self._late: list[tuple[int, Tensor, bool]] = []

    def chart(self, chart: Chart) -> None:
        """What does not change; called again when it does after all."""
        self._history.set_chart(chart)
        if self.writer is not None:
            self.writer.chart(chart)

    def pulse(self, step: int, loss: float | Tensor | None, finite: bool, skipped: bool) -> None:
        """Every step."""
        if isinstance(loss, float):
            self._pulse(step, loss, finite, skipped)
        elif loss is None:
            self._pulse(step, math.nan, finite, skipped)
        else:
            self._late.append((step, loss, skipped))
            if len(self._late) >= _MOST_LATE:
                self.settle()

    def _pulse(self, step: int, loss: float, finite: bool, skipped: bool) -> None:
        self._history.add_pulse(step, loss, finite, skipped)
        if self.writer is not None:
            self.writer.pulse(step, loss, finite, skipped)

    def settle(self) -> None:
        """Fetch the losses that wait on another device, with one transfer."""
        if not self._late:
            return
        late, self._late = self._late, []
        losses = torch.stack([loss.float().reshape(()) for _, loss, _ in late]).tolist()
        for (step, _, skipped), loss in zip(late, losses, strict=True):
            self._pulse(step, loss, math.isfinite(loss), skipped)

    def amend_loss(self, loss: float) -> None:
        """The user handed in the loss of the newest step."""
        self.settle()
        self._history.amend_loss(loss, math.isfinite(loss))
        if self.writer is not None:
            self.writer.amend_loss(loss, math.isfinite(loss))

    def frame(self, frame: Frame) -> None:
        """A step that was looked at."""
        self.settle()
        self._history.add_frame(frame)
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
        return self._history.window()

    def close(self, meta: Mapping[str, Any]) -> None:
        """Write what is left."""
        self.settle()
        if self.writer is not None:
            for key, value in meta.items():
                self.writer.meta(key, value)
            self.writer.close()
