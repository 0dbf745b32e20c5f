"""One training that was found in a program: its monitor, and its places in the source."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from paramedic.probe.monitor import Monitor
from paramedic.run.outcome import Record
from paramedic.run.pairing import Pair
from paramedic.run.places import Place


@dataclass(slots=True)
class Training:
    """A monitor at work."""

    name: str
    pair: Pair
    monitor: Monitor
    layers: dict[str, Place] = field(default_factory=dict)  # where each was made
    places: dict[str, Place] = field(default_factory=dict)  # `optimizer`, `loss`, `backward` …
    called: str = ""  # how the program refers to the model where it calls it
    complete: bool = False  # all places that will be found are found
    steps_of_others: int = 0  # since it stepped last
    epoch_began: int = 0

    @property
    def root_class(self) -> str:
        """The class of the model; of several, of the first."""
        return type(self.pair.models[0]).__name__

    def epoch(self, values: dict[str, float]) -> None:
        """An epoch has ended; the training loss is added to its numbers."""
        pulse = self.monitor.window().pulse
        lately = pulse.loss[(pulse.step >= self.epoch_began) & np.isfinite(pulse.loss)]
        if not len(lately):
            return
        self.epoch_began = self.monitor.last_step + 1
        self.monitor.epoch(train_loss=float(lately.mean()), **values)

    def close(self) -> Record:
        """Stop watching; what was learned, as plain values."""
        monitor = self.monitor
        monitor.close()
        window = monitor.window()
        return Record(
            name=self.name,
            steps=monitor.last_step + 1,
            frames=len(window),
            diagnosis=monitor.diagnosis,
            remedies=monitor.remedies,
            chart=monitor.chart,
            layers=dict(self.layers),
            places=dict(self.places),
            not_measured=monitor.not_checked,
            spent=monitor.spent,
            trace=monitor.trace,
            epochs=window.epochs,
            losses=tuple(float(loss) for loss in window.pulse.loss),
            called=self.called,
            root_class=self.root_class,
            root_place=self.layers.get(self.root_class),
        )
