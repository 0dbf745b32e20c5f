"""Keras 3 on torch: `model.fit(..., callbacks=[Watch(trace="run.db")])`."""

from __future__ import annotations

from typing import Any

from torch.optim import Optimizer

from paramedic.integrations.epochs import epoch_values
from paramedic.optional import require
from paramedic.probe.guard import Guard
from paramedic.probe.monitor import Monitor
from paramedic.run.keras import Keras
from paramedic.run.keras_losses import KerasLosses
from paramedic.run.patching import Patches
from paramedic.run.places import Place
from paramedic.treat.watch import watch

require("keras", extra="keras", needed_by="paramedic.integrations.keras")

import keras  # noqa: E402


class Watch(keras.callbacks.Callback):
    """Watches `fit`, with the settings of `paramedic.watch`; `monitor` is what it gives.

    It begins when the optimizer takes its first step, and is told what Keras logs at each epoch.
    `fit` stops when treatment has given the run up.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        if keras.backend.backend() != "torch":
            raise ValueError(
                f"Keras must run on torch to be watched but runs on {keras.backend.backend()}: "
                "set KERAS_BACKEND=torch before it is imported."
            )
        self.settings = settings
        self.monitor: Monitor | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        self._patches = Patches()
        self._optimizers = Keras(self._patches, self._found)
        self._optimizers.open()
        guard = Guard(strict=bool(self.settings.get("strict", False)))
        self._losses = KerasLosses(self._patches, guard, lambda *_: None, lambda: False)
        self._losses.open()

    def _found(self, optimizer: Optimizer, place: Place | None) -> None:
        if self.monitor is None:
            epochs, steps = self.params.get("epochs"), self.params.get("steps")
            known = {"steps": epochs * steps} if epochs and steps else {}
            self.monitor = watch(self.model, optimizer, **{**known, **self.settings})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.monitor is not None:
            self.monitor.epoch(**epoch_values(logs or {}, "train"))
            self.model.stop_training |= self.monitor.should_stop

    def on_train_end(self, logs: Any = None) -> None:
        self._optimizers.close()
        self._losses.close()
        self._patches.remove()
        if self.monitor is not None:
            self.monitor.close()
