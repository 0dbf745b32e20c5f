"""What a caller may say about a check-up."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.checkup.calling import Forward


@dataclass(frozen=True, slots=True)
class Options:
    """See `paramedic.checkup`; bad values are refused here, before anything is run."""

    forward: Forward | None = None
    batch_axis: int | None = None
    causal: bool | None = None
    ordered: bool | None = None
    memory_limit: int | None = None
    seconds: float = 30.0

    def __post_init__(self) -> None:
        if self.forward is not None and not callable(self.forward):
            raise TypeError(
                "`forward` must be a function of the model and the batch but got "
                f"{type(self.forward).__name__}."
            )
        if self.batch_axis is not None and self.batch_axis not in (0, 1):
            raise ValueError(f"`batch_axis` must be 0, 1 or None but got {self.batch_axis!r}.")
        if self.memory_limit is not None and self.memory_limit <= 0:
            raise ValueError(
                f"`memory_limit` must be a positive number of bytes but got {self.memory_limit!r}."
            )
        if not self.seconds > 0:
            raise ValueError(f"`seconds` must be positive but got {self.seconds!r}.")
