"""Tells a loss that has exploded from one that is noisy.

The last few losses are held against the usual ones without any assumption about their noise: that
six of the last eight are higher than 97 of the last hundred does not happen by chance. And it must
matter: a good part of what was learned since the start is gone. Where there is a reason to look
closer (`mark`), they are held against the last few before that.
"""

from __future__ import annotations

from collections import deque

from paramedic.probe.median import median
from paramedic.treat.baseline import Baseline
from paramedic.treat.limits import Limits

_FIRST = 10  # losses from whose level learning is measured
_BEFORE = 24  # losses before a mark that those after it are held against
_BETTER = 0.5  # deviations: two standard errors of the median of so few
_MOST_ELEVATED = 0.75  # of the recent losses
_SPIKE_SIGMAS = 10.0  # of a single loss above the usual
_SOON = 3  # losses after a mark that may show harm …
_BAR = 0.9  # … if most of them are above this share of those before it


class LossWatch:
    """Follows the loss of every step."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._first: list[float] = []
        self._usual = Baseline(limits.history, limits.least)
        self._recent: deque[tuple[int, float, bool]] = deque()  # step, loss, elevated
        self._elevated = 0  # of the recent ones
        self._alarmed = 0  # steps in which most of them were
        self._lately: deque[float] = deque(maxlen=_BEFORE)
        self._marked: Baseline | None = None
        self._bar = 0.0  # of the losses before the mark
        self._since: deque[float] = deque(maxlen=limits.recent)  # losses after it
        self._is_own = False  # the next loss is that of the step that was marked

    def mark(self) -> None:
        """Something is done by the step at hand: the losses after it are held against those
        right before."""
        ordered = sorted(self._lately)
        self._bar = ordered[int(_BAR * len(ordered))] if ordered else 0.0
        self._since.clear()
        self._is_own = True
        self._marked = Baseline(_BEFORE, max(len(self._lately), 1))
        for loss in self._lately:
            self._marked.add(loss)

    def unmark(self) -> None:
        """It did no harm."""
        self._marked = None

    def see(self, step: int, loss: float) -> None:
        """The loss of a step."""
        if len(self._first) < _FIRST:
            self._first.append(loss)
        self._lately.append(loss)
        if self._marked is not None and not self._is_own:
            self._since.append(loss)
        self._is_own = False
        if len(self._recent) == self._limits.recent:
            self._pass_on()
        elevated = self._usual.ready and loss > self._usual.high
        self._recent.append((step, loss, elevated))
        self._elevated += elevated

    def _pass_on(self) -> None:
        """The oldest of the recent losses becomes a usual one, unless something is happening."""
        _, loss, elevated = self._recent.popleft()
        if self.calm:
            self._alarmed = 0
            self._usual.add(loss)
        else:
            self._alarmed += 1
            if self._alarmed > self._limits.history:  # this is how it is now
                self.accept()
                return
        self._elevated -= elevated

    @property
    def calm(self) -> bool:
        """Whether most of the recent losses are usual ones."""
        return self._elevated <= self._limits.recent // 4

    @property
    def improving(self) -> bool:
        """Whether the last losses are lower than the usual ones, or there are too few."""
        if not self._usual.ready:
            return bool(self._lately)
        return median(self._lately) < self._usual.median - _BETTER * self._usual.sigma

    def is_spike(self, loss: float) -> bool:
        """Whether one loss is far from all usual ones."""
        usual = self._usual
        return usual.ready and loss > max(usual.high, usual.median + _SPIKE_SIGMAS * usual.sigma)

    def is_elevated(self, loss: float) -> bool:
        """Whether one loss is higher than nearly all usual ones."""
        return self._usual.ready and loss > self._usual.high

    def exploded(self, lost: float) -> bool:
        """Whether so much of the progress is gone, beyond doubt."""
        usual, elevated = self._usual, self._elevated
        if self._marked is not None:
            usual = self._marked
            elevated = sum(loss > usual.high for _, loss, _ in self._recent)
        if not usual.ready or elevated < _MOST_ELEVATED * self._limits.recent:
            return False
        level = median(loss for _, loss, _ in self._recent)
        return self._is_much(level, usual, lost)

    def harmed(self, lost: float) -> bool:
        """Whether the losses after a mark show that so much of the progress is gone. Less sure
        than `exploded` but sooner, for where much speaks for it already."""
        usual = self._marked
        if usual is None or not usual.ready or len(self._since) < _SOON:
            return False
        level = median(self._since)
        return level > self._bar and self._is_much(level, usual, lost)

    def _is_much(self, level: float, usual: Baseline, lost: float) -> bool:
        learned = max(median(self._first) - usual.median, 10 * usual.sigma)
        return level - usual.median > lost * learned

    @property
    def began(self) -> int:
        """The step of the first recent loss that was elevated."""
        return next((step for step, _, elevated in self._recent if elevated), self._recent[0][0])

    @property
    def level(self) -> tuple[float, float]:
        """The usual loss, and that of the recent steps."""
        return self._usual.median, median(loss for _, loss, _ in self._recent)

    def forget(self) -> None:
        """The recent losses were those of weights that are gone."""
        self._recent.clear()
        self._elevated = self._alarmed = 0

    def accept(self) -> None:
        """What was unusual is usual from now on."""
        self.forget()
        self._usual.clear()
