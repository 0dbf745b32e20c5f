"""What a user can set when a program is run under watch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # torch is the program's to import
    from paramedic.probe.audience import Display
    from paramedic.types import Severity


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of `paramedic run` that watching itself depends on.

    `stop_on` ends the program when something of this severity is found, `max_steps` after so many
    optimizer steps of one training; `trace` is the file to record to, by default a new one in
    a private folder (see `recordings`); `display` makes what shows a training, by its name.
    `overhead` is the share of the time that watching may take, `allowance` the seconds of the
    processor beyond it, so that scripts of a few seconds are seen closely, too.
    """

    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    stop_on: Severity | None = None
    max_steps: int | None = None
    trace: Path | None = None
    overhead: float | None = 0.01
    allowance: float = 0.25
    strict: bool = False
    display: Callable[[str], Display] | None = None

    @property
    def may_stop(self) -> bool:
        """Whether something may end the program before its time."""
        return self.stop_on is not None or self.max_steps is not None

    def __post_init__(self) -> None:
        if self.max_steps is not None and self.max_steps < 1:
            raise ValueError(f"--max-steps must be at least 1 but got {self.max_steps}.")
