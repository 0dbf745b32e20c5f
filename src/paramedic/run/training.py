"""One training that was found in a program: its monitor, and its places in the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import get_ident

import numpy as np
from torch import Tensor

from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.metric import Metric
from paramedic.prescribe.spelling import renamed
from paramedic.probe.monitor import Monitor
from paramedic.run.environments import Returns
from paramedic.run.metrics import Logs, chosen, of_validation
from paramedic.run.outcome import Record
from paramedic.run.pairing import Pair, held
from paramedic.run.places import Place
from paramedic.run.sources import OPTIMIZER
from paramedic.run.standstill import Standstill
from paramedic.types import Remedy

_FORGOTTEN = 50  # steps of others after which a training is over
ENVIRONMENT = (
    "the data come from an environment that the model acts in: the loss does not measure progress"
)
_NEVER_BEGUN = 1000  # the same for one that has not stepped yet


@dataclass(slots=True)
class Training:
    """A monitor at work."""

    name: str
    pair: Pair
    monitor: Monitor
    layers: dict[str, Place] = field(default_factory=dict)  # where each was made
    places: dict[str, Place] = field(default_factory=dict)  # `optimizer`, `loss`, `backward` …
    called: str = ""  # how the program refers to the model where it calls it
    optimizer: str = ""  # how it refers to the optimizer there
    thread: int = field(default_factory=get_ident)  # in which it stepped last
    complete: bool = False  # all places that will be found are found
    steps_of_others: int = 0  # since it stepped last
    longest_pause: int = 0  # the most of these that it has been through
    epoch_began: int = 0
    returns: Returns = field(default_factory=Returns)  # of episodes in environments
    interactions: int = 0  # steps before which an environment was stepped since the last one
    environment_steps: int = 0  # at the last step
    logs: Logs = field(default_factory=Logs)  # metrics that the program has logged
    evaluated: dict[str, float] = field(default_factory=dict)  # logged since the last epoch ended
    standstill: Standstill = field(init=False)  # until the first step

    def __post_init__(self) -> None:
        self.standstill = Standstill(held(self.pair.optimizers).values())

    @property
    def root_class(self) -> str:
        """The class of the model; of several, of the first."""
        return type(self.pair.models[0]).__name__

    @property
    def is_over(self) -> bool:
        """Whether it has paused for longer than ever before (the outer loop of learning to learn
        pauses for all inner ones); one that has not begun is waited for longer."""
        begun = self.monitor.last_step >= 0
        most = max(_FORGOTTEN, 4 * self.longest_pause) if begun else _NEVER_BEGUN
        return self.steps_of_others >= most

    @property
    def is_at_work(self) -> bool:
        """Whether it goes on, as far as its pauses so far tell."""
        return self.steps_of_others <= self.longest_pause

    def precedes(self, other: Training) -> bool:
        """Whether it ends where the other begins: a loop has come around, to the line that makes
        the optimizer, after this one has stepped."""
        line = self.places.get(OPTIMIZER)
        here = self.thread == other.thread  # in another thread it goes on beside this one
        began = self.monitor.last_step >= 0
        return here and began and line == other.places.get(OPTIMIZER) is not None

    def epoch(self, values: dict[str, float]) -> None:
        """An epoch has ended; the training loss is added to its numbers, and what was logged of
        an evaluation that was not seen itself."""
        values, self.evaluated = {**self.evaluated, **values}, {}
        pulse = self.monitor.window().pulse
        lately = pulse.loss[(pulse.step >= self.epoch_began) & np.isfinite(pulse.loss)]
        if not len(lately):
            return
        self.epoch_began = self.monitor.last_step + 1
        self.monitor.epoch(train_loss=float(lately.mean()), **values)

    def _remedies(self) -> tuple[Remedy, ...]:
        """With code that uses the names of the program."""
        names = {"optimizer": self.optimizer}
        if len(self.pair.models) == 1:
            names["model"] = self.called
        return tuple(
            replace(remedy, code=renamed(remedy.code, names)) for remedy in self.monitor.remedies
        )

    def backward_began(self, roots: Sequence[Tensor]) -> None:
        """A backward pass begins, which may be of this training."""
        if self.monitor.last_step < 0:
            training = any(model.training for model in self.pair.models)
            self.standstill.passed(roots, training=training)
        else:
            self.standstill.release()

    def interacted(self, environment_steps: int) -> None:
        """A step begins; environments have been stepped so often by now."""
        if environment_steps > self.environment_steps:
            self.environment_steps = environment_steps
            self.interactions += 1

    def logged(self, source: str, values: dict[str, float]) -> None:
        """The program has logged metrics."""
        self.logs.add(self.monitor.last_step + 1, source, values)
        self.evaluated.update(of_validation(source, values, self.monitor.chart))

    def _judge(self) -> None:
        """By the returns of episodes if there are enough, else by what was logged: it decides
        where the loss measures nothing."""
        interacts, returned = self.interactions > 1, self._returned()
        metric = returned if interacts and returned.is_enough else chosen(self.logs.all())
        self.monitor.judge_by(metric, ENVIRONMENT if interacts else "")

    def _returned(self) -> Metric:
        """What the program measures itself by: the returns of episodes."""
        returns = [value for _, value in self.returns.all()]
        return Metric("return of an episode", np.array(returns, np.float64))

    def _standing_still(self) -> Conclusion | None:
        """What is to be said of a training that never stepped, although it should have."""
        line = self.places.get(OPTIMIZER)
        name = type(self.pair.optimizers[0]).__name__
        found = self.standstill.conclusion(name if line is None else f"{name} ({line})")
        self.standstill.release()
        return found

    def close(self) -> Record:
        """Stop watching; what was learned, as plain values."""
        monitor = self.monitor
        self._judge()
        monitor.close()
        window = monitor.window()
        still = self._standing_still()
        return Record(
            name=self.name,
            steps=monitor.last_step + 1,
            frames=len(window),
            diagnosis=monitor.diagnosis,
            conclusion=monitor.conclusion if still is None else still,
            remedies=self._remedies(),
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
            returns=self.returns.all(),
            interactions=self.interactions,
        )
