"""What is true of a run, and what the rules said of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

HALVES = ("judging", "tuning")


@dataclass(frozen=True, slots=True)
class Run:
    """The truth about a recorded run; `slug` is empty if it is healthy."""

    name: str
    file: str
    slug: str
    accepted: tuple[str, ...]
    half: str
    steps: int
    onset: int

    @property
    def right_names(self) -> frozenset[str]:
        """Every name that would be right for its sickness."""
        return frozenset((self.slug, *self.accepted)) if self.slug else frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule set said of a run.

    `findings` are the slugs that hold at the end, the root first; `opened` says at which step
    each slug was told first; `loud` are the slugs told as a warning or worse, at any time, also
    if something set them aside later; `cases` counts how often something was told.
    """

    findings: tuple[str, ...] = ()
    opened: Mapping[str, int] = field(default_factory=dict)
    loud: tuple[str, ...] = ()
    cases: int = 0
    switched_off: Mapping[str, str] = field(default_factory=dict)

    @property
    def root(self) -> str | None:
        return self.findings[0] if self.findings else None


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
