"""What came of one remedy in one run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Trial:
    """A remedy that was tried: against what, in which run, and what came of it.

    `roots` are the problems that nothing else explains, the first of them the root; `effects`
    those that they brought about. `gone` tells whether the first went, `all_gone` whether all did;
    `worked` that the first went and the score came back.
    """

    run: str
    seed: int
    part: str
    roots: tuple[str, ...]
    effects: tuple[str, ...]
    remedy: str
    code: str
    gone: bool
    all_gone: bool
    worked: bool
    sick: float
    treated: float
    sound: float

    @property
    def problem(self) -> str:
        """The root."""
        return self.roots[0]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Trial:
        """What `to_json` gave."""
        known = {one.name: data[one.name] for one in fields(cls)}
        several = {name: tuple(data[name]) for name in ("roots", "effects")}
        return cls(**known | several)

    @property
    def problems(self) -> tuple[str, ...]:
        """All that was wrong."""
        return (*self.roots, *self.effects)
