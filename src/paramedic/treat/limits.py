"""How far treatment may go, and what it takes before it does anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Self

ACTIONS = ("skip-step", "clip-gradients", "scale-rate", "raise-dropout", "roll-back", "stop")


@dataclass(frozen=True, slots=True)
class Limits:
    """The settings of live treatment; `watch(limits={"roll_backs": 1})` changes them.

    A step that is not finite is never applied, however often; every other intervention counts
    towards `most`, and roll-backs towards `roll_backs`.
    """

    actions: tuple[str, ...] = ACTIONS  # what may be done at all
    window: int = 200  # steps over which interventions are counted, and a cause is one cause
    most: int = 8  # interventions per window
    roll_backs: int = 4  # in a run; then it is given up
    in_a_row: int = 3  # steps that are skipped one after the other before it is rolled back
    data_in_a_row: int = 50  # the same where the batch itself is not finite
    history: int = 100  # healthy steps that the usual range is taken from
    least: int = 20  # fewer than these say nothing
    spike_sigmas: float = 10.0  # log gradient norm above the median, in robust deviations …
    spike_ratio: float = 5.0  # … and as a multiple of it
    recent: int = 8  # losses that together show an explosion
    lost: float = 0.5  # share of the progress made so far whose loss is an explosion
    jump: float = 3.0  # rate over the highest one that was used in health
    snapshot_every: int | None = None  # steps; None goes by the overhead budget

    @classmethod
    def of(cls, given: Mapping[str, Any] | None) -> Self:
        """The defaults with what a user has set, checked."""
        given = dict(given or {})
        known = {one.name for one in fields(cls)}
        for name in given.keys() - known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"they are {', '.join(sorted(known))}."
            raise ValueError(f"`limits` has no {name!r}; {hint}")
        if "actions" in given:
            given["actions"] = _actions(given["actions"])
        return cls(**given)

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "actions" or (one.name == "snapshot_every" and value is None):
                continue
            whole = one.type in ("int", "int | None")
            least = 0 if one.name in ("most", "roll_backs", "in_a_row", "data_in_a_row") else 1
            low = least if whole else 0
            if not _is_number(value, whole=whole) or value < low or (not whole and value == 0):
                kind = f"a whole number of at least {least}" if whole else "a number above 0"
                raise ValueError(f"`limits[{one.name!r}]` must be {kind} but got {value!r}.")


def _is_number(value: Any, *, whole: bool) -> bool:
    return isinstance(value, int if whole else int | float) and not isinstance(value, bool)


def _actions(given: Any) -> tuple[str, ...]:
    actions = (given,) if isinstance(given, str) else tuple(given)
    for action in actions:
        if action not in ACTIONS:
            near = get_close_matches(str(action), ACTIONS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"`limits['actions']` must be of {', '.join(ACTIONS)} but has {action!r}.{hint}"
            )
    return actions
