"""Synthetic runs, written by the project's own writer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paramedic.trace import Writer
from paramedic.types import Chart, Epoch, Frame, Layer
from paramedic.vocabulary import LAYER_STATISTICS, SCALARS, VITALS

_EPOCHS = 50


def chart(layers: int) -> Chart:
    """So many layers, named as those of a real network."""
    names = [f"blocks.{place // 5}.part{place % 5}" for place in range(layers)]
    rows = (
        Layer(name, "Linear", 10_000, order=place, activation="relu")
        for place, name in enumerate(names)
    )
    return Chart(layers=tuple(rows), loss="cross-entropy", optimizers=({"name": "AdamW"},))


class Run:
    """A run that can go on: a noisy loss that falls, gradients that shrink with depth."""

    def __init__(self, path: Path, layers: int, every: int, *, full: bool = False) -> None:
        self.writer = Writer(path, size_limit=2**40)
        self.writer.chart(chart(layers))
        self.step = 0
        self._layers, self._every, self._full = layers, every, full
        self._draws = np.random.default_rng(0)
        self._looks = 0

    def go(self, steps: int) -> None:
        """So many steps more, committed."""
        noise = self._draws.lognormal(0.0, 0.2, steps)
        for place in range(steps):
            loss = 2.5 * noise[place] / (1.0 + self.step / 5000.0) ** 0.3
            self.writer.pulse(self.step, float(loss), True, False)
            if self.step % self._every == 0:
                self.writer.frame(self._frame(float(loss)))
            self.step += 1
        self.writer.flush()

    def end_epochs(self) -> None:
        """Numbers of epochs over the whole run."""
        for epoch in range(_EPOCHS):
            step = (epoch + 1) * self.step // _EPOCHS
            values = {"val_loss": 2.0 / (epoch + 1) ** 0.3, "val_acc": 1 - 0.9 / (epoch + 1) ** 0.5}
            self.writer.epoch(Epoch(epoch, step, values))

    def _frame(self, loss: float) -> Frame:
        self._looks += 1
        is_full = self._full or self._looks % 2 == 1
        names = LAYER_STATISTICS if is_full else VITALS
        table = self._table(len(names))
        scalars = dict.fromkeys(SCALARS, 0.0) if is_full else {}
        scalars |= {"loss": loss, "loss_finite": 1.0, "grad_finite": 1.0, "grad_norm": loss}
        rows = dict(zip(names, table, strict=True))
        return Frame(self.step, "full" if is_full else "vitals", {**scalars, "lr/0": 1e-3}, rows)

    def _table(self, rows: int) -> NDArray[np.float32]:
        depth = np.exp(-0.1 * np.arange(self._layers, dtype=np.float32))
        noise = self._draws.random((rows, self._layers), dtype=np.float32)
        table: NDArray[np.float32] = np.clip(noise * depth, 1e-6, 1.0)
        return table
