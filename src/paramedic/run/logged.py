"""What programs log of their own: metrics handed to trainers, trackers and loggers.

The functions of libraries that take such numbers are wrapped once a library is imported. What a
program prints is read by `printed.py`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from paramedic.probe.guard import Guard, aside
from paramedic.run.imports import AfterImport
from paramedic.run.metrics import is_metric
from paramedic.run.patching import Function, Patches

OnLogged = Callable[[str, dict[str, float]], None]  # who logged, and the values by name


@dataclass(frozen=True, slots=True)
class Source:
    """A method that takes numbers to log: a table of them, or a name and a value."""

    library: str
    home: str
    owner: str
    method: str
    table: bool = True


_LIGHTNING = "trainer.connectors.logger_connector.logger_connector"
SOURCES = (
    Source("transformers", "transformers.trainer", "Trainer", "log"),
    Source("lightning", f"lightning.pytorch.{_LIGHTNING}", "_LoggerConnector", "log_metrics"),
    Source("lightning", f"pytorch_lightning.{_LIGHTNING}", "_LoggerConnector", "log_metrics"),
    Source("stable-baselines3", "stable_baselines3.common.logger", "Logger", "record", table=False),
    Source("accelerate", "accelerate.accelerator", "Accelerator", "log"),
    Source("wandb", "wandb.sdk.wandb_run", "Run", "log"),
    Source("tensorboard", "torch.utils.tensorboard.writer", "SummaryWriter", "add_scalar",
           table=False),
    Source("tensorboardX", "tensorboardX.writer", "SummaryWriter", "add_scalar", table=False),
    Source("keras", "keras.src.callbacks.history", "History", "on_epoch_end"),
)  # fmt: skip


class Logged:
    """Waits for the libraries; `on_logged` is called with what may be a metric, by its name."""

    def __init__(self, guard: Guard, on_logged: OnLogged) -> None:
        self.guard = guard
        self._on_logged = on_logged
        self._patches = Patches()
        self._waiting = [
            AfterImport(source.home, functools.partial(self._found, source)) for source in SOURCES
        ]

    def open(self) -> None:
        """Start to wait."""
        for waiting in self._waiting:
            waiting.install()

    def close(self) -> None:
        """Wait no more, and put back what was there."""
        for waiting in self._waiting:
            waiting.remove()
        self._patches.remove()

    def _found(self, source: Source) -> None:
        owner = getattr(sys.modules[source.home], source.owner, None)
        if callable(getattr(owner, source.method, None)):
            self._patches.wrap(owner, source.method, functools.partial(self._logger, source))

    def _logger(self, source: Source, original: Function) -> Function:
        def log(owner: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(owner, *args, **kwargs)
            self._note(source, args, kwargs)
            return result

        return log

    @aside("metrics")
    def _note(self, source: Source, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        values = dict(_numbers(_given(source, [*args, *kwargs.values()])))
        if values:
            self._on_logged(source.library, values)


def _given(source: Source, arguments: list[Any]) -> Mapping[Any, Any]:
    """The table that was logged."""
    if source.table:
        tables = (one for one in arguments if isinstance(one, Mapping))
        return next(tables, {})
    return {arguments[0]: arguments[1]} if len(arguments) > 1 else {}


def _numbers(given: Mapping[Any, Any]) -> Iterator[tuple[str, float]]:
    for name, value in given.items():
        if isinstance(name, str) and is_metric(name):
            number = _number(value)
            if number is not None:
                yield name, number


def _number(value: Any) -> float | None:
    """What was logged has been read by the library by now: a tensor is waited for no longer."""
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        return float(value)
    single = type(value) is Tensor and value.numel() == 1 and not value.is_meta
    return float(value.detach()) if single and not value.is_complex() else None
