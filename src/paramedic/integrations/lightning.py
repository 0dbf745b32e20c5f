"""Lightning: `Trainer(callbacks=[Watch(trace="run.db")])`."""

from __future__ import annotations

import math
from typing import Any

from paramedic.integrations.epochs import epoch_values
from paramedic.optional import require
from paramedic.probe.monitor import Monitor
from paramedic.treat.watch import watch

require("lightning", extra="lightning", needed_by="paramedic.integrations.lightning")

from lightning.pytorch import LightningModule, Trainer  # noqa: E402
from lightning.pytorch.callbacks import Callback  # noqa: E402


class Watch(Callback):
    """Watches the training, with the settings of `paramedic.watch`; `monitor` is what it gives.

    What the module logs is handed in at the end of each epoch. The trainer stops when treatment
    has given the run up.
    """

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.monitor: Monitor | None = None

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        steps = trainer.estimated_stepping_batches
        known = {"steps": int(steps)} if math.isfinite(steps) and steps >= 1 else {}
        self.monitor = watch(pl_module, trainer.optimizers, **{**known, **self.settings})

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if self.monitor is not None:
            self.monitor.epoch(**epoch_values(trainer.callback_metrics, "train"))
            trainer.should_stop |= self.monitor.should_stop

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if self.monitor is not None:
            self.monitor.close()

    def on_exception(
        self, trainer: Trainer, pl_module: LightningModule, exception: BaseException
    ) -> None:
        self.on_train_end(trainer, pl_module)
