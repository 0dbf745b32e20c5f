"""Keeps what was seen: tells it to the engine that judges it, to the trace file, to an audience."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from paramedic.diagnose.engine import Engine
from paramedic.probe.audience import Audience
from paramedic.probe.idle import Note
from paramedic.trace import Writer
from paramedic.types import Chart, Epoch, Event, Frame, Window

_MOST_NOTED = 128  # steps whose losses wait before they are told together


class Recorder:
    """Sends everything to all ends; losses are told late, in bundles, but before all else."""

    def __init__(
        self, writer: Writer | None, engine: Engine, audience: Audience | None = None
    ) -> None:
        self.writer = writer
        self.engine = engine
        self.audience = audience or None  # None if there is nobody
        self._chart = Chart()
        self.notes: list[Note] = []  # steps that are not told yet
        if writer is not None:
            writer.last_words = self.settle

    def chart(self, chart: Chart) -> None:
        """What does not change; called again when it does after all."""
        self._chart = chart
        self.engine.chart(chart)
        if self.writer is not None:
            self.writer.chart(chart)

    def pulse(self, step: int, loss: float | Tensor | None, finite: bool, skipped: bool) -> None:
        """Every step: only noted here, and told in one go when somebody wants to know."""
        self.notes.append((step, loss, finite, skipped))
        if len(self.notes) >= _MOST_NOTED or self.engine.waits:
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
        self.engine.pulse(step, loss, finite, skipped)
        if self.writer is not None:
            self.writer.pulse(step, loss, finite, skipped)

    def amend_loss(self, loss: float) -> None:
        """The user handed in the loss of the newest step."""
        self.settle()
        self.engine.amend_loss(loss, math.isfinite(loss))
        if self.writer is not None:
            self.writer.amend_loss(loss, math.isfinite(loss))

    def frame(self, frame: Frame) -> None:
        """A step that was looked at."""
        if self.engine.is_due or self.engine.waits:
            self.settle()  # an examination must know the losses up to its step
        self.engine.frame(frame)
        if self.writer is not None:
            self.writer.frame(frame)
        if self.audience is not None:
            self.audience.frame(frame, self._chart)

    def epoch(self, epoch: Epoch) -> None:
        self.settle()
        self.engine.epoch(epoch)
        if self.writer is not None:
            self.writer.epoch(epoch)
        if self.audience is not None:
            self.audience.epoch(epoch)

    def event(self, event: Event) -> None:
        self.settle()
        self.engine.event(event)
        if self.writer is not None:
            self.writer.event(event)

    def write_event(self, event: Event) -> None:
        """An event for the file alone: the engine hears of it in another way."""
        self.settle()
        if self.writer is not None:
            self.writer.event(event)

    def meta(self, key: str, value: Any) -> None:
        """A value for the file alone."""
        if self.writer is not None:
            self.writer.meta(key, value)

    @property
    def seconds(self) -> float:
        """What was spent at the far ends, which is not the cost of a look."""
        told = 0.0 if self.audience is None else self.audience.seconds
        return self.engine.seconds + told

    def window(self) -> Window:
        """The last frames, as detectors read them."""
        self.settle()
        return self.engine.window()

    def finish(self) -> None:
        """The run is over: the last examination."""
        self.settle()
        self.engine.finish()

    def close(self, meta: Mapping[str, Any]) -> None:
        """Write what is left."""
        self.settle()
        if self.writer is not None:
            for key, value in meta.items():
                self.writer.meta(key, value)
            self.writer.close()
