"""Notices a learning rate far above any that the run has lived with."""

from __future__ import annotations

from paramedic.treat.limits import Limits

_RESTART = 2.0  # over the rate of the step before
_LEAP = 8.0  # over the rate before a jump: no plan does this


class RateWatch:
    """Follows the rate of every step.

    A rate that grows little by little, as in a warm-up, or that comes back to where it has been,
    as after a restart, is no jump. One that did no harm for `history` steps is none any more.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._seen = 0
        self._highest = 0.0  # that was used in health
        self._healthy = 0.0  # the newest one before a jump
        self.excess = 1.0  # how far it jumped above that
        self.jumped_at: int | None = None
        self.restarted = False  # it has just risen to where it has been before

    @property
    def leapt(self) -> bool:
        """Whether a jump is under way that nobody plans."""
        return self.jumped_at is not None and self.excess > _LEAP

    def see(self, step: int, rate: float) -> None:
        """The rate of a step."""
        self._seen += 1
        self.restarted = False
        early = self._seen <= self._limits.least
        if early or not rate > self._limits.jump * self._highest:
            self._settle(rate)
        elif self.jumped_at is None:
            self.jumped_at = step
            self.excess = rate / self._healthy if self._healthy > 0 else self._limits.jump
        elif step - self.jumped_at > self._limits.history:
            self._settle(rate)

    def _settle(self, rate: float) -> None:
        if rate == rate:  # else there is none
            self.restarted = self._seen > 1 and rate > _RESTART * self._healthy
            self._highest = max(self._highest, rate)
            self._healthy = rate
        self.jumped_at = None
