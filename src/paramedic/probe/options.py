"""What a user can set when watching, checked when the monitor is attached."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paramedic.diagnose import config
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.engine import SLOW
from paramedic.probe.audience import Display, Sink, check_sinks
from paramedic.probe.schedule import FULL, VITALS
from paramedic.types import Task

CONFIGURED = "configured"  # by a file of the project, else the default rule set
ON_NAN = ("locate", "replay", "off")


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of a monitor; `paramedic.watch` explains them."""

    loss_fn: Callable[..., Any] | None = None
    trace: str | Path | None = None
    overhead: float | None = 0.01
    measure: str = FULL
    accumulate: int | None = None
    task: str | None = None
    on_nan: str = "locate"
    strict: bool = False
    size_limit: int = 256 * 2**20
    rules: str | None = CONFIGURED
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    thresholds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    log: str | Path | None = None
    sinks: Sequence[Sink] = ()
    display: Display | None = None
    steps: int | None = None  # that the run will take
    allowance: float = 0.0  # seconds of the processor beyond `overhead`, for a run of few seconds
    slow: float | None = SLOW  # seconds of an examination that end a detector; None: none do

    def detectors(self) -> tuple[Detector, ...]:
        """The detectors that were asked for; none with `rules=None`."""
        if self.rules is None:
            return ()
        return config.load().choose(
            rules=None if self.rules == CONFIGURED else self.rules,
            select=self.select,
            ignore=self.ignore,
            thresholds=self.thresholds,
        )

    def __post_init__(self) -> None:
        if self.loss_fn is not None and not callable(self.loss_fn):
            kind = type(self.loss_fn).__name__
            raise TypeError(f"`loss_fn` must be a module or a function but got {kind}.")
        one_of("measure", self.measure, (FULL, VITALS))
        one_of("on_nan", self.on_nan, ON_NAN)
        if self.task is not None:
            one_of("task", self.task, [task.value for task in Task])
        if self.overhead is not None and not _is_share(self.overhead):
            raise ValueError(
                f"`overhead` must be a share of the step time above 0 and at most 1, or None to "
                f"look at every step, but got {self.overhead!r}."
            )
        _at_least("accumulate", self.accumulate, 1)
        _at_least("size_limit", self.size_limit, 2**16)
        _at_least("steps", self.steps, 1)
        check_sinks(self.sinks)


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def _at_least(name: str, value: Any, least: int) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"`{name}` must be a whole number of at least {least} but got {value!r}.")


def one_of(name: str, value: Any, valid: Iterable[str]) -> None:
    """Complain, with the nearest valid word, if `value` is none of them."""
    valid = list(valid)
    if value in valid:
        return
    near = difflib.get_close_matches(str(value), valid, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(repr(one) for one in valid)
    raise ValueError(f"`{name}` must be one of {listed} but got {value!r}.{hint}")
