"""Transformers: `Trainer(callbacks=[Watch(trace="run.db")])`."""

from __future__ import annotations

from typing import Any

from paramedic.integrations.epochs import epoch_values
from paramedic.optional import require
from paramedic.probe.monitor import Monitor
from paramedic.treat.watch import watch

require("transformers", extra="transformers", needed_by="paramedic.integrations.transformers")

from transformers import TrainerCallback  # noqa: E402


class Watch(TrainerCallback):
    """Watches the training, with the settings of `paramedic.watch`; `monitor` is what it gives.

    Each evaluation is handed in as an epoch, with the training loss that was logged last. The
    trainer stops when treatment has given the run up.
    """

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.monitor: Monitor | None = None
        self._logged: dict[str, float] = {}

    def on_train_begin(
        self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None,
        **others: Any,
    ) -> None:  # fmt: skip
        known = {"steps": state.max_steps} if state.max_steps > 0 else {}
        self.monitor = watch(model, optimizer, **{**known, **self.settings})

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **others: Any) -> None:
        if logs and "loss" in logs:
            self._logged = epoch_values({"loss": logs["loss"]}, "train")

    def on_evaluate(
        self, args: Any, state: Any, control: Any, metrics: Any = None, **others: Any
    ) -> None:
        if self.monitor is not None and metrics:
            self.monitor.epoch(**self._logged, **epoch_values(metrics))

    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        if self.monitor is not None and self.monitor.should_stop:
            control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        if self.monitor is not None:
            self.monitor.close()
