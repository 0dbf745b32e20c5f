"""What is true of a run, and what the rules said of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from paramedic.types import Verdict

HALVES = ("judging", "tuning")
FAILED = (str(Verdict.NOT_LEARNING), str(Verdict.DIVERGED))


@dataclass(frozen=True, slots=True)
class Run:
    """The truth about a recorded run; `slug` is empty if it is healthy.

    `learned`: by its own metric at its end, whatever was built into it (`zoo/learning.py`).
    """

    name: str
    file: str
    slug: str
    accepted: tuple[str, ...]
    half: str
    steps: int
    onset: int
    learned: bool = False

    @property
    def right_names(self) -> frozenset[str]:
        """Every name that would be right for its sickness."""
        return frozenset((self.slug, *self.accepted)) if self.slug else frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule set said of a run.

    `findings` are the slugs that hold at the end, the root first; `opened` says at which step
    each slug was found first; `loud` are the slugs of severity warning or worse, at any time, also
    if something set them aside later: what treatment acts on; `cases` counts how often something
    was found.

    Only ours has the rest: `causes` are the slugs of faults and suspicions, the most likely first;
    `warned` those of which a user was warned at any time; `fault` whether there is one at the end,
    whatever the verdict.
    """

    findings: tuple[str, ...] = ()
    opened: Mapping[str, int] = field(default_factory=dict)
    loud: tuple[str, ...] = ()
    cases: int = 0
    switched_off: Mapping[str, str] = field(default_factory=dict)
    causes: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    verdict: str = ""
    fault: bool = False

    @property
    def root(self) -> str | None:
        return self.findings[0] if self.findings else None

    @property
    def failed(self) -> bool:
        """Whether the verdict is that the run fails."""
        return self.verdict in FAILED

    @property
    def warnings(self) -> tuple[str, ...]:
        """Of what a user is warned: rules without a verdict warn of whatever they find."""
        if not self.verdict:
            return self.loud
        return (*self.warned, f"verdict: {self.verdict}") if self.failed else self.warned


@dataclass(frozen=True, slots=True)
class Judged:
    """A run with what each rule set said of it."""

    run: Run
    outcomes: Mapping[str, Outcome]

    def to_json(self) -> dict[str, Any]:
        """Plain values; of an outcome what is empty is left out."""
        said = {
            name: {key: value for key, value in asdict(outcome).items() if value}
            for name, outcome in self.outcomes.items()
        }
        return {**asdict(self.run), "outcomes": said}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Judged:
        """What `to_json` gave, after a journey through a file."""
        said = {name: _made(Outcome, one) for name, one in data["outcomes"].items()}
        return cls(run_of(data), said)


def run_of(entry: Mapping[str, Any]) -> Run:
    """The truth, from an entry of the zoo's manifest."""
    return _made(Run, entry)


def of_half(judged: Iterable[Judged], half: str) -> list[Judged]:
    """The runs of one half."""
    return [one for one in judged if one.run.half == half]


def sick(judged: Iterable[Judged]) -> list[Judged]:
    """Those with a sickness built in."""
    return [one for one in judged if one.run.slug]


def healthy(judged: Iterable[Judged]) -> list[Judged]:
    """Those without."""
    return [one for one in judged if not one.run.slug]


def _made(kind: type[Any], values: Mapping[str, Any]) -> Any:
    known = {one.name: values[one.name] for one in fields(kind) if one.name in values}
    return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in known.items()})
