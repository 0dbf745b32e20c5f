"""What a heal tells while it works."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from paramedic.diagnose.status import Status
from paramedic.treat.heal.attempt import Attempt
from paramedic.treat.training import Training

_FEWEST = 3  # steps from which a pace can be told


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a heal is: the attempt, its epoch and loss, what is wrong now, the time left.

    `news` is a sentence when something was decided, else empty; `seconds_left` is that of the
    attempt under way if it is trained to its end, None while nothing is known. `status` is how
    the training under way stands.
    """

    attempt: int
    name: str
    epoch: float
    epochs: int
    loss: float
    metric: float
    finding: str
    seconds: float
    seconds_left: float | None
    news: str = ""
    status: Status | None = None


Listener = Callable[[Progress], None]


class Reporter:
    """Tells a listener, a few times a second at most; decisions at once."""

    def __init__(self, listener: Listener | None, every: float = 0.2) -> None:
        self._listener, self._every = listener, every
        self._began = self._told = time.monotonic()
        self._paces = 0  # steps whose time is known, and what they took together
        self._taken = 0.0
        self.log: list[str] = []

    def say(self, news: str, attempt: Attempt | None = None) -> None:
        """A decision, which is kept in the log."""
        self.log.append(news)
        if self._listener is not None:
            self._listener(self._progress(attempt, None, news))

    def following(self, attempt: Attempt) -> Callable[[Training], None] | None:
        """What to call after each step of an attempt."""
        if self._listener is None:
            return None
        listener = self._listener
        before: float | None = None  # only steps of one leg are timed: others may have to wait

        def after_step(training: Training) -> None:
            nonlocal before
            now = time.monotonic()
            if before is not None:
                self._paces += 1
                self._taken += now - before
            before = now
            if now - self._told >= self._every:
                self._told = now
                listener(self._progress(attempt, training))

        return after_step

    def _progress(
        self, attempt: Attempt | None, training: Training | None, news: str = ""
    ) -> Progress:
        seconds = time.monotonic() - self._began
        point = training.points[-1] if training is not None and training.points else None
        return Progress(
            attempt=0 if attempt is None else attempt.number,
            name="" if attempt is None else attempt.name,
            epoch=0.0 if training is None else training.step / training.plan.steps_per_epoch,
            epochs=0 if attempt is None else attempt.plan.epochs,
            loss=float("nan") if training is None else training.loss,
            metric=float("nan") if point is None else point.metric,
            finding="" if training is None or not training.finding else training.finding.slug,
            seconds=seconds,
            seconds_left=self._left(training),
            news=news,
            status=None if training is None else _status(training),
        )

    def _left(self, training: Training | None) -> float | None:
        if training is None or self._paces < _FEWEST:
            return None
        return (training.plan.steps - training.step) * self._taken / self._paces


def _status(training: Training) -> Status:
    """Of the monitor, which knows only the steps since the last interruption."""
    status = training.monitor.status()
    return replace(status, step=training.step - 1, steps=training.plan.steps)
