"""Decides, before each step, whether something has to be done; decides only, and does nothing.

| what is seen | what is ordered |
|---|---|
| loss or gradient not finite | skip the step; after some in a row roll back and lower the rate |
| gradient out of all proportion, and so is the loss | skip: the batch is corrupted; after some in a row the weights are hurt: roll back |
| gradient out of all proportion, the loss is usual | clip it to the usual size; after some in a row this is usual |
| the loss explodes | roll back; after a jump of the rate also back to the healthy rate |
| the rate leaps beyond any plan, and the gradient is out of all proportion | clip it, and back to the healthy rate; a step later also roll back |
| gradient next to nothing, once | nothing: it does no harm, but it is told |

What all ranks see alike they decide alike: there is no clock and no random number here.
"""  # noqa: E501

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping

from paramedic.treat.facts import Facts
from paramedic.treat.limits import Limits
from paramedic.treat.losses import LossWatch
from paramedic.treat.orders import Order, remedy
from paramedic.treat.rates import RateWatch
from paramedic.treat.spikes import NormWatch, Size
from paramedic.types import Remedy

_AFTER_JUMP = 0.1  # share of the progress that may be lost after a jump of the rate
_FACTORS = (0.5, 0.2, 0.05)  # of the rate, by the number of roll-backs before
_VERIFY = 2  # losses right after a roll-back that must be usual again


class Policy:
    """The policy for one optimizer. With `losses` False the loss is not judged: where several
    optimizers take turns, it is not the loss of one of them."""

    def __init__(self, limits: Limits, *, losses: bool = True) -> None:
        self._limits = limits
        self._judges_loss = losses
        self._norms, self._losses = NormWatch(limits), LossWatch(limits)
        self._rates = RateWatch(limits)
        self._bad = 0  # steps in a row that were or should have been skipped
        self._large = 0  # clipped steps in a row
        self._from_data = False
        self._acted: deque[int] = deque(maxlen=max(limits.most, 1))  # steps of interventions
        self._roll_backs = 0
        self._given_up = False
        self._verifying: list[bool] | None = None  # losses after a roll-back: elevated or not
        self._set_aside: dict[str, int] = {}  # kind of order -> until when nobody wants to hear it

    # -- what is asked -----------------------------------------------------------------------

    def judge(self, facts: Facts) -> Order | None:
        """What has to be done before this step is taken, if anything."""
        if math.isnan(facts.norm):
            return None
        self._see_rate(facts)
        order = self._judge(facts)
        return None if order is None or self._is_set_aside(order.kind, facts.step) else order

    def leap(self, factors: Mapping[str, float], facts: Facts) -> Order | None:
        """What to do about layers whose gradient leapt beside the others: each is multiplied by
        its factor. A batch or a rate that is to blame for it is treated as such."""
        blame = self._rates.leapt or not facts.finite or self._is_loss_spike(facts)
        if not factors or blame or self._is_used_up(facts.step):
            return None
        least = min(factors, key=lambda name: factors[name])
        more = f" and {len(factors) - 1} more" if len(factors) > 1 else ""
        reason = f"the gradient of `{least}`{more} is {1 / factors[least]:.0f} times the usual"
        clip = remedy("clip-gradients", layers=dict(factors), steps=1)
        order = Order("gradient-spike", reason, (clip,), facts.step)
        return None if self._is_set_aside(order.kind, facts.step) else order

    def _judge(self, facts: Facts) -> Order | None:
        if not facts.finite:
            return self._not_finite(facts)
        size = self._norms.size(facts.norm)
        wild = size is Size.SPIKE and self._is_loss_spike(facts)
        failed = self._see_loss(facts)
        if failed is not None:
            return failed
        if wild:
            return self._corrupted(facts)
        self._bad = 0
        exploded = self._explosion(facts)
        if exploded is not None:
            return exploded
        if size is Size.SPIKE:
            return self._spike(facts)
        self._large = 0
        if size is Size.COLLAPSE:
            return self._collapse(facts)
        self._norms.add(facts.norm)
        return None

    @property
    def calm(self) -> bool:
        """Whether this is a state worth coming back to."""
        return self._rates.jumped_at is None and self._well

    def turns(self, step: int) -> bool:
        """Whether this step, of a run that is well, is the first at a rate that has jumped: the
        state before it is the last that is known to be good."""
        return self._rates.jumped_at == step and self._well

    @property
    def _well(self) -> bool:
        none = not self._bad and not self._large
        return none and self._losses.calm and self._verifying is None

    @property
    def improving(self) -> bool:
        """Whether the loss gets better, or it is too early to say that it does not."""
        return self._losses.improving

    @property
    def level(self) -> float:
        """The usual gradient norm; NaN while it is not known."""
        return self._norms.level

    def acted_lately(self, step: int) -> bool:
        """Whether something was done within the window: what is found now may come from there."""
        return bool(self._acted) and step - self._acted[-1] <= self._limits.window

    # -- what is told ------------------------------------------------------------------------

    def carried_out(self, order: Order, step: int) -> None:
        """An order was carried out."""
        self._acted.append(step)
        if any(one.action == "roll-back" for one in order.remedies):
            self._roll_backs += 1
            self._bad = self._large = 0
            self._losses.forget()
            self._verifying = [] if self._judges_loss else None

    def declined(self, kind: str, step: int) -> None:
        """Nobody wants such an order now, or it cannot be carried out: not again for a while."""
        self._set_aside[kind] = step + self._limits.window

    def _is_set_aside(self, kind: str, step: int) -> bool:
        return self._set_aside.get(kind, -1) >= step

    # -- the rules ---------------------------------------------------------------------------

    def _not_finite(self, facts: Facts) -> Order:
        self._bad += 1
        self._from_data = facts.from_data or (self._from_data and self._bad > 1)
        patience = self._limits.data_in_a_row if self._from_data else self._limits.in_a_row
        if self._bad > patience:
            reason = f"{self._bad} steps in a row were not finite"
            began = facts.step - self._bad + 1
            return self._roll_back("non-finite", reason, facts, began) or self._skip(facts, reason)
        what = "gradient" if math.isinf(facts.norm) else "loss"
        why = " because the batch is not" if self._from_data else ""
        return self._skip(facts, f"the {what} is not finite{why}")

    def _skip(self, facts: Facts, reason: str) -> Order:
        quiet = self._is_used_up(facts.step)
        return Order("non-finite", reason, (remedy("skip-step"),), facts.step, quiet=quiet)

    def _see_rate(self, facts: Facts) -> None:
        before = self._rates.jumped_at
        self._rates.see(facts.step, facts.rate)
        if self._rates.restarted:  # planned: what follows is not what was usual
            self._losses.accept()
            self._norms.accept()
        if self._rates.jumped_at is None:
            self._losses.unmark()
        elif before is None:
            self._losses.mark()

    def _is_loss_spike(self, facts: Facts) -> bool:
        return self._judges_loss and self._losses.is_spike(facts.loss)

    def _see_loss(self, facts: Facts) -> Order | None:
        """Follow the loss, and see whether the last roll-back has helped."""
        if not self._judges_loss or math.isnan(facts.loss):
            return None
        elevated = self._losses.is_elevated(facts.loss)
        self._losses.see(facts.step, facts.loss)
        if self._verifying is None:
            return None
        self._verifying.append(elevated)
        if len(self._verifying) < _VERIFY:
            return None
        failed, self._verifying = all(self._verifying), None
        if not failed:
            return None
        self._losses.accept()
        self._norms.accept()
        reason = "the weights that were good give the same high loss: the data has changed"
        return Order("data-changed", reason, takes_back="loss-explosion")

    def _corrupted(self, facts: Facts) -> Order | None:
        self._bad += 1
        usual = self._losses.level[0]
        reason = (
            f"the loss ({facts.loss:.3g}, usually {usual:.3g}) and the gradient norm "
            f"({facts.norm:.3g}, usually {self.level:.3g}) are out of all proportion"
        )
        jumped = self._rates.jumped_at
        if self._bad > self._limits.in_a_row or jumped is not None:  # the batch is not to blame
            began = facts.step - self._bad + 1 if jumped is None else jumped
            return self._roll_back("loss-explosion", reason, facts, began)
        if self._is_used_up(facts.step):
            return None
        return Order("corrupted-batch", reason, (remedy("skip-step"),), facts.step)

    def _explosion(self, facts: Facts) -> Order | None:
        jumped = self._rates.jumped_at is not None
        lost = min(_AFTER_JUMP if jumped else self._limits.lost, self._limits.lost)
        soon = self._rates.leapt and self._losses.harmed(lost)
        if not self._judges_loss or not (soon or self._losses.exploded(lost)):
            return None
        usual, level = self._losses.level
        reason = f"the loss has exploded from {usual:.3g} to {level:.3g}"
        return self._roll_back("loss-explosion", reason, facts, self._losses.began)

    def _spike(self, facts: Facts) -> Order | None:
        self._large += 1
        if self._large > self._limits.in_a_row or self._is_used_up(facts.step):
            self._norms.accept()
            return None
        reason = (
            f"the gradient norm is {facts.norm:.3g}, {facts.norm / self.level:.0f} times the usual"
        )
        clip = remedy("clip-gradients", max_norm=self.level, steps=1)
        if not self._rates.leapt:
            return Order("gradient-spike", reason, (clip,), facts.step)
        back = None
        if self._rates.jumped_at != facts.step and self._judges_loss:  # steps were taken since
            back = self._roll_back("loss-explosion", reason, facts, facts.step)
        reason = f"{reason}, and the rate has risen to {facts.rate:.3g}"
        return back or Order("gradient-spike", reason, (clip, self._healthy_rate()), facts.step)

    def _collapse(self, facts: Facts) -> Order:
        reason = f"the gradient norm is {facts.norm:.3g}, usually {self.level:.3g}"
        return Order("gradient-collapse", reason)

    def _roll_back(self, cause: str, reason: str, facts: Facts, began: int) -> Order | None:
        """Back to before it began; and slower if the rate is to blame, or it is not the first."""
        barred = "roll-back" not in self._limits.actions
        if self._given_up or barred or self._is_set_aside(f"{cause}/roll-back", facts.step):
            return None
        # Whatever becomes of the rest, a step that is not finite must not be taken.
        remedies: list[Remedy] = [] if facts.finite else [remedy("skip-step")]
        if self._roll_backs >= self._limits.roll_backs:
            self._given_up = True
            reason = f"{reason}, after {self._roll_backs} roll-backs"
            return Order(cause, reason, (*remedies, remedy("stop")), began)
        remedies.append(remedy("roll-back"))
        jumped = self._rates.jumped_at
        if jumped is not None:
            reason = f"{reason} after the rate rose to {facts.rate:.3g}"
            # Losses waver: where the rate leapt at one step, that is when it began.
            began = jumped if self._rates.leapt else min(began, jumped)
            remedies.append(self._healthy_rate())
        elif not facts.finite or self._roll_backs:
            factor = _FACTORS[min(self._roll_backs, len(_FACTORS) - 1)]
            remedies.append(remedy("scale-rate", factor=factor))
        return Order(cause, reason, tuple(remedies), began)

    def _healthy_rate(self) -> Remedy:
        return remedy("scale-rate", factor=1 / self._rates.excess)

    def _is_used_up(self, step: int) -> bool:
        """Whether as much was done in the window as may be."""
        if not self._limits.most:
            return True
        full = len(self._acted) == self._acted.maxlen
        return full and step - self._acted[0] < self._limits.window
