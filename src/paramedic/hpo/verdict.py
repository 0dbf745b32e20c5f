"""What is known of a trial at one moment, and what is decided about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Self

from paramedic.types import Finding

_TRAINING = "train_loss"
LOSSES = ("val_loss", _TRAINING)  # by which trials are compared, beside their value
Losses = tuple[float, ...]
BEHIND = "behind"  # the symptom of next to no chance to be among the best at the end


class Decision(StrEnum):
    """What to do with a trial. `finished` is no blame: it keeps its value, and saves its time."""

    CONTINUE = "continue"
    STOP = "stop"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Visit:
    """A trial at one moment: the end of an epoch or, between two, when something was found.

    `epoch` is how many epochs have ended, `findings` are those that hold now, `value` is the best
    that the trial has reached, turned such that less is better, NaN if that is not known; `losses`
    are those of the epoch, as `losses_of` chooses them.
    """

    epoch: int
    step: int
    findings: tuple[Finding, ...] = ()
    value: float = math.nan
    between: bool = False
    losses: Losses = ()


def losses_of(
    values: Mapping[str, float], metric: str = "", seen: Callable[[], float] = lambda: math.nan
) -> Losses:
    """The `LOSSES` among the numbers of an epoch, NaN where one is not known; so is what the trial
    is judged by anyway, if there is another. Who does not tell the loss in training is taken to
    have that which was `seen`."""
    told = values if _TRAINING in values else {**values, _TRAINING: seen()}
    known = [name for name in LOSSES if not math.isnan(told.get(name, math.nan))]
    chosen = [name for name in known if name != metric] or known
    return tuple(told[name] if name in chosen else math.nan for name in LOSSES)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision with its reason; a small dict on its way to a storage or a scheduler.

    `spared` says why a trial with symptoms goes on; with `shadow` nothing is to be done: the
    verdict only tells what would have been.
    """

    decision: Decision
    epoch: int
    step: int
    cause: str = ""
    why: str = ""
    symptoms: tuple[str, ...] = ()
    spared: str = ""
    shadow: bool = False

    @property
    def ends(self) -> bool:
        """Whether the trial is to end now."""
        return self.decision is not Decision.CONTINUE and not self.shadow

    @property
    def stops(self) -> bool:
        """Whether the trial is to end now because it is sick."""
        return self.ends and self.decision is Decision.STOP

    @property
    def prunes(self) -> bool:
        """Whether a pruner is to end the trial: it is sick, or too many others were better. One
        that has no more to gain may still be the best, and is left to `monitor.finished`."""
        return self.stops or (self.ends and BEHIND in self.symptoms)

    def __str__(self) -> str:
        return f"{self.decision}: {self.cause}" if self.cause else str(self.decision)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**told, "decision": str(self.decision), "symptoms": list(self.symptoms)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What `to_json` gave."""
        known = {one.name: data[one.name] for one in fields(cls) if one.name in data}
        known["decision"] = Decision(known["decision"])
        known["symptoms"] = tuple(known.get("symptoms", ()))
        return cls(**known)
