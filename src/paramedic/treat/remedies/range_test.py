"""A learning rate found by trying: the range test."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from paramedic.prescribe.cure import rounded
from paramedic.treat.batches import fed
from paramedic.treat.plan import Plan
from paramedic.treat.remedies.learning_rate import TOO_FAST, TOO_SLOW, with_rate
from paramedic.treat.remedies.reading import is_adaptive, rate
from paramedic.treat.remedy import Refusal, Treated
from paramedic.treat.surgery.calling import quiet
from paramedic.types import Finding

_BESIDE = 2  # losses on each side that a smoothed one is the mean of
_BELOW = 10.0  # times below the rate of the lowest loss
_BURST = 3.0  # times the first loss: further rates need not be tried
_CLEAR = 2.0  # deviations between batches that the loss must fall by
_FEWEST = 8  # rates after which a curve can be read


@dataclass(frozen=True, slots=True)
class RangeTest:
    """Trains a copy with a rate that grows at each step, and takes a tenth of the rate at which
    the loss was lowest (Smith, 2017). The steps are counted.

    The rate at which the loss falls fastest, which others take, is read from single batches: on 9
    of 15 healthy cases of the repair benchmark it was at least ten times that of the case.
    """

    slug: str = "range-test"
    title: str = "Find the learning rate by a range test"
    against: tuple[str, ...] = (
        "learning-rate-too-low", "learning-rate-too-high", "slow-convergence", "loss-plateau",
        "loss-explosion", "oscillating-loss", "too-few-steps", "non-finite", "exploding-gradient",
    )  # fmt: skip
    steps: int = 60
    share: float = 0.06  # of the plan that it may take
    plain: tuple[float, float] = (1e-4, 1.0)
    adaptive: tuple[float, float] = (1e-5, 0.1)

    def apply(self, plan: Plan, finding: Finding, facts: Any = None) -> Treated:
        count = min(self.steps, max(int(self.share * plan.steps), 24))
        low, high = self.adaptive if is_adaptive(plan) else self.plain
        rates = [low * (high / low) ** (step / (count - 1)) for step in range(count)]
        losses = list(_losses(plan, rates))
        best = suited(rates, losses)
        now = rate(plan)
        if best is None:
            raise Refusal(f"The loss falls at no rate from {low:g} to {high:g}.", len(losses))
        wrong_way = finding.slug in (TOO_FAST if best > now else TOO_SLOW)
        if wrong_way or 0.5 < best / now < 2:
            why = f"The rate is {now:g}, and a range test finds {best:.2g}."
            raise Refusal(why, len(losses))
        changed = with_rate(plan, rounded(best) / now)
        why = f"{changed.description[:-1]}, by a range test."
        return Treated(changed.plan, why, changed.code, steps=len(losses))


def _losses(plan: Plan, rates: list[float]) -> Iterator[float]:
    """The loss at each step, with the rate of that step; until it bursts."""
    model = plan.build_model().train()
    optimizer = plan.build_optimizer(model)
    batches = itertools.chain.from_iterable(plan.batches[0].epoch(one) for one in itertools.count())
    first = math.nan
    with quiet(), torch.enable_grad():
        for now, (inputs, targets) in zip(rates, batches, strict=False):
            for group in optimizer.param_groups:
                group["lr"] = now
            optimizer.zero_grad()
            loss = plan.loss(fed(model, inputs), targets)
            value = float(loss.detach())
            first = value if math.isnan(first) else first
            if not math.isfinite(value) or value > _BURST * abs(first) + 1:
                return
            yield value
            loss.backward()  # type: ignore[no-untyped-call]
            _clip(plan, model)
            optimizer.step()


def _clip(plan: Plan, model: nn.Module) -> None:
    if plan.clip_value is not None:
        nn.utils.clip_grad_value_(model.parameters(), plan.clip_value)
    if plan.clip_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), plan.clip_norm)


def suited(rates: list[float], losses: list[float]) -> float | None:
    """A tenth of the rate at which the smoothed loss is lowest; None if it falls by no more than
    what one batch differs from the next."""
    if len(losses) < _FEWEST:
        return None
    smooth = [
        statistics.fmean(losses[max(place - _BESIDE, 0) : place + _BESIDE + 1])
        for place in range(len(losses))
    ]
    early = losses[: len(losses) // 3]  # at rates that hardly change anything
    place = min(range(len(smooth)), key=smooth.__getitem__)
    fallen = statistics.fmean(early) - smooth[place]
    noise = statistics.pstdev(early) / math.sqrt(2 * _BESIDE + 1)
    return rates[place] / _BELOW if fallen > _CLEAR * noise else None
