"""How a heal is run: the settings that a user may change, each with a default."""

from __future__ import annotations

from dataclasses import dataclass

STRATEGIES = ("race", "sequential")


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of a heal.

    `workers` are processes of this machine, `ray` sends the stretches of a race to a Ray cluster.
    `candidates` remedies are raced at a time; the first stretch is as long as it took to find the
    problem, but at least `shortest` and at most `longest` of the plan, and at least `fewest`
    steps. After each of the `rungs` the worse half is dropped and the stretch doubles. No more is
    treated after `rounds` races, or once `cost` trainings are spent.
    """

    strategy: str = "race"
    workers: int = 1
    ray: bool = False
    candidates: int = 4
    rungs: int = 2
    shortest: float = 0.03
    longest: float = 0.08
    fewest: int = 20
    rounds: int = 6
    cost: float = 4.0

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            known = " or ".join(repr(one) for one in STRATEGIES)
            raise ValueError(f"`strategy` must be {known} but is {self.strategy!r}.")
        if not isinstance(self.workers, int) or self.workers < 1:
            raise ValueError(
                f"`workers` must be a number of processes from 1 but is {self.workers!r}."
            )

    def stretch(self, found: int, steps: int) -> int:
        """The length of the first stretch, for a problem that was found at a step."""
        bounded = min(max(found, round(self.shortest * steps)), round(self.longest * steps))
        return min(max(bounded, self.fewest), steps)
