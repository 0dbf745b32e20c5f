"""The vocabulary of Paramedic: plain data that every other part reads or returns.

Everything here is frozen, slotted and survives a JSON round trip (`to_json` / `from_json`).
Nothing here knows about torch, files or time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64] | NDArray[np.float32]
T = TypeVar("T")


class Severity(StrEnum):
    """How much a finding matters to the person who waits for the run."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class Kind(StrEnum):
    """What a finding is worth as a statement.

    A `symptom` is a fact about the run: it says what happened, not why. A `fault` is wrong by
    construction, whatever the run does. A `suspicion` is inferred from statistics: it may be the
    cause of what is wrong and is proved by an experiment only.
    """

    SYMPTOM = "symptom"
    FAULT = "fault"
    SUSPICION = "suspicion"


class Verdict(StrEnum):
    """Whether a run learns, in one word."""

    LEARNING = "learning"
    NOT_LEARNING = "not learning"
    DIVERGED = "diverged"
    TOO_EARLY = "too early to say"
    CANNOT_TELL = "cannot tell"


class Safety(StrEnum):
    """What a user risks by applying a remedy."""

    ADVICE = "advice"
    UNSAFE = "unsafe"
    SAFE = "safe"


class Task(StrEnum):
    """What the network is asked to do."""

    MULTI_CLASS = "multi-class"
    BINARY = "binary"
    MULTI_LABEL = "multi-label"
    REGRESSION = "regression"
    LANGUAGE_MODEL = "language-model"
    UNKNOWN = "unknown"


class _Json:
    """Shallow JSON for frozen dataclasses whose fields are JSON values already."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        known = {f.name for f in fields(cls)}  # type: ignore[arg-type]
        return cls(**{key: value for key, value in data.items() if key in known})


def _plain(value: Any) -> Any:
    if isinstance(value, _Json):
        return value.to_json()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return value


@dataclass(frozen=True, slots=True)
class Layer(_Json):
    """One row of the chart: a module that owns parameters, or an activation function.

    `order` is its place in the order of execution; `activation` the kind of function whose
    output it gives (`relu`, `tanh` …); `tied_to` the layer that owns the parameters it shares;
    `fan_in` how many inputs each of its units adds up, 0 if that is not known; `dropout` the share
    of values that it drops in training, None if it is no dropout.
    """

    name: str
    kind: str
    parameters: int = 0
    trainable: bool = True
    in_optimizer: bool = True
    order: int = 0
    executed: bool = True
    activation: str | None = None
    tied_to: str | None = None
    fan_in: int = 0
    dropout: float | None = None


@dataclass(frozen=True, slots=True)
class Chart(_Json):
    """What does not change in a run: the layers, the optimizer, the loss, the task, the machine.

    `loss_mean` tells that what is minimised is the mean of `loss` over the batch, and nothing
    else; `output_function` is the last operation before the loss (`linear`, `softmax`, `relu` …),
    `output_shape` and `target_shape` what the loss compares, as the user gave it; a kind is
    `integer` or `float`. `straight` tells whether the outputs are a linear function of the inputs,
    but for the function of the last layer; None if that was not seen. `surrogate` says why the loss
    is no measure of progress, if it is none.
    """

    layers: tuple[Layer, ...] = ()
    optimizers: tuple[Mapping[str, Any], ...] = ()
    loss: str | None = None
    loss_mean: bool = False
    output_function: str | None = None
    output_shape: tuple[int, ...] = ()
    target_shape: tuple[int, ...] = ()
    target_kind: str | None = None
    input_kind: str | None = None
    straight: bool | None = None
    surrogate: str = ""
    task: Task = Task.UNKNOWN
    task_source: str = "not inferred"
    batch_size: int | None = None
    accumulate: int = 1
    device: str = "cpu"
    compiled: bool = False
    world_size: int = 1
    versions: Mapping[str, str] = field(default_factory=dict)
    not_checked: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        values = dict(data)
        values["layers"] = tuple(Layer.from_json(layer) for layer in values.get("layers", ()))
        for name in ("optimizers", "output_shape", "target_shape"):
            values[name] = tuple(values.get(name, ()))
        values["task"] = Task(values.get("task", Task.UNKNOWN))
        known = {f.name for f in fields(cls)}
        return cls(**{key: value for key, value in values.items() if key in known})


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What the probe saw at one optimizer step.

    `level` is `vitals` (norms and finiteness) or `full` (everything). In `scalars` and `layers`
    NaN means *not measured*; a gradient that is itself not finite has `grad_norm` infinite and
    `grad_nonfinite` above zero. `layers` maps a statistic to one float32 value per layer, in
    the order of `Chart.layers`.
    """

    step: int
    level: str
    scalars: Mapping[str, float]
    layers: Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class Pulse:
    """The heartbeat: what is known of *every* optimizer step, looked at or not.

    Parallel arrays: the step number, the raw loss (NaN when it could not be seen, infinite or
    NaN with `finite` False when it was not finite), and whether the step was skipped.
    """

    step: NDArray[np.int64]
    loss: NDArray[np.float64]
    finite: NDArray[np.bool_]
    skipped: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """The losses of the whole run in a few hundred numbers.

    `first` are those of the first steps as they were. After that each entry of `levels` is the
    typical loss of `width` steps in a row (a median, which single outliers do not move; NaN if no
    loss was seen) and each of `bad` the fraction of them that were not finite.
    """

    first: NDArray[np.float64]
    levels: NDArray[np.float64]
    bad: NDArray[np.float64]
    width: int = 1
    steps: int = 0  # that these are the losses of

    def __len__(self) -> int:
        return len(self.levels)


def no_losses() -> Losses:
    """Those of a run that has not begun."""
    return Losses(np.empty(0), np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True)
class Epoch(_Json):
    """The numbers a user hands in at the end of an epoch: `train_loss`, `val_loss`, `val_acc` …"""

    epoch: int
    step: int
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Event(_Json):
    """Something that happened once: a NaN was born, a step skipped, a part switched off."""

    step: int
    kind: str
    message: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Window:
    """The last frames of a run, ready for a detector: read-only arrays, newest last.

    `scalars[name]` has one value per frame, `layers[name]` one row per frame and one column per
    layer; NaN means not measured. `pulse` covers every step of the last thousands, `losses` and
    `epochs` the whole run so far.
    `ended` is True for the last window of a run that has come to its end.
    """

    chart: Chart
    steps: NDArray[np.int64]
    scalars: Mapping[str, NDArray[np.float64]]
    layers: Mapping[str, NDArray[np.float32]]
    pulse: Pulse
    epochs: tuple[Epoch, ...] = ()
    events: tuple[Event, ...] = ()
    ended: bool = False
    losses: Losses = field(default_factory=no_losses)
    _derived: dict[Any, Any] = field(default_factory=dict, repr=False)
    _facts: dict[Any, Any] = field(default_factory=dict, repr=False)  # of the chart
    _framed: dict[Any, Any] = field(default_factory=dict, repr=False)  # of chart and frames

    def __len__(self) -> int:
        return len(self.steps)

    def derive(self, function: Callable[..., T], *names: str) -> T:
        """What `function` makes of this window (and of a statistic, if it is named), computed
        once for all detectors that ask."""
        return _kept(self._derived, function, self, *names)

    def of_frames(self, function: Callable[..., T], *names: str) -> T:
        """The same of what only depends on the frames and the chart, computed once for all
        windows that show these frames: of the losses after them and of epochs there are more."""
        return _kept(self._framed, function, self, *names)

    def of_chart(self, function: Callable[[Chart], T]) -> T:
        """What `function` makes of the chart, computed once for all windows of the run."""
        if function not in self._facts:
            self._facts[function] = function(self.chart)
        return self._facts[function]  # type: ignore[no-any-return]

    @property
    def step(self) -> int:
        """The step of the newest frame, or -1 while there is none."""
        return int(self.steps[-1]) if len(self.steps) else -1

    @property
    def last_step(self) -> int:
        """The newest step of which anything is known, looked at or not; -1 before the first."""
        return max(self.step, int(self.pulse.step[-1]) if len(self.pulse) else -1)

    def scalar(self, name: str) -> NDArray[np.float64]:
        """One value per frame; all NaN if the statistic was never measured."""
        found = self.scalars.get(name)
        return np.full(len(self.steps), np.nan) if found is None else found

    def layer(self, name: str) -> NDArray[np.float32]:
        """One row per frame, one column per layer; all NaN if it was never measured."""
        found = self.layers.get(name)
        shape = (len(self.steps), len(self.chart.layers))
        return np.full(shape, np.nan, np.float32) if found is None else found

    def series(self, name: str) -> NDArray[np.float64]:
        """One value per epoch of what the user handed in (`val_loss` …); NaN where missing."""
        return self.derive(_series, name)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the layers, in the order of the columns."""
        return tuple(layer.name for layer in self.chart.layers)


def _kept(kept: dict[Any, Any], function: Callable[..., T], window: Window, *names: str) -> T:
    key = (function, *names)
    if key not in kept:
        kept[key] = function(window, *names)
    return kept[key]  # type: ignore[no-any-return]


def _series(window: Window, name: str) -> NDArray[np.float64]:
    values = np.array([epoch.values.get(name, np.nan) for epoch in window.epochs], np.float64)
    values.flags.writeable = False
    return values


@dataclass(frozen=True, slots=True)
class Remedy(_Json):
    """One change that may help: what, how sure we are, what it risks, and the line of code.

    `ground` says in words where the confidence comes from; `against` are the slugs of the
    findings it is meant for. `action` with `args` is what can be done to a live run; it is empty
    where only the user can act.
    """

    slug: str
    title: str
    confidence: float
    safety: Safety = Safety.ADVICE
    action: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    diff: str = ""
    ground: str = ""
    against: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        values = {f.name: data[f.name] for f in fields(cls) if f.name in data}
        values["safety"] = Safety(values.get("safety", Safety.ADVICE))
        values["against"] = tuple(values.get("against", ()))
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Finding(_Json):
    """One statement and the numbers behind it: `evidence={"ratio": 3e-8, "threshold": 1e-3}`.

    `severity` says how much it would matter if it is the cause; what is reported as a warning also
    depends on its `kind` and on the verdict (see `diagnose.assessment`).
    """

    code: str
    slug: str
    severity: Severity
    confidence: float
    message: str
    step: int
    where: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    explains: tuple[str, ...] = ()
    kind: Kind = Kind.SUSPICION

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        values = {f.name: data[f.name] for f in fields(cls) if f.name in data}
        values["severity"] = Severity(values["severity"])
        values["kind"] = Kind(values.get("kind", Kind.SUSPICION))
        values["where"] = tuple(values.get("where", ()))
        values["explains"] = tuple(values.get("explains", ()))
        return cls(**values)
