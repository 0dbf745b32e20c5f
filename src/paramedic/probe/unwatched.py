"""The monitor that does nothing, for `PARAMEDIC=off`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.condition import Condition, condition
from paramedic.diagnose.status import Status
from paramedic.diagnose.verdict import Assessment
from paramedic.prescribe.ranking import Emergency
from paramedic.probe.attendant import Bystander
from paramedic.probe.monitor import Monitor
from paramedic.trace import History
from paramedic.types import Chart, Event, Remedy, Verdict, Window


class Unwatched(Monitor):
    """Takes every call of a monitor, touches nothing and has seen nothing."""

    def __init__(self) -> None:
        self.trace = None
        self._attendant = Bystander()

    def step(self, loss: float | Tensor) -> None: ...

    def epoch(self, /, **values: float | Tensor) -> None: ...

    def remember(self, losses: Sequence[float], epochs: Sequence[Mapping[str, float]]) -> None: ...

    def window(self) -> Window:
        return History().window()

    @property
    def chart(self) -> Chart:
        return Chart()

    @property
    def last_step(self) -> int:
        return -1

    @property
    def diagnosis(self) -> Diagnosis:
        return Diagnosis(not_checked=self.not_checked)

    def current(self, since: int = -1) -> Diagnosis:
        return self.diagnosis

    def mean_loss(self, since: int = -1) -> float:
        return math.nan

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        return ()

    @property
    def emergency(self) -> Emergency | None:
        return None

    @property
    def condition(self) -> Condition:
        return condition(self.conclusion, self.window())

    @property
    def conclusion(self) -> Conclusion:
        return Conclusion(Assessment(Verdict.CANNOT_TELL, "Paramedic is switched off"))

    def status(self) -> Status:
        return Status()

    def undo(self) -> Event | None:
        return None

    @property
    def labels(self) -> dict[int, int]:
        return {}

    @property
    def not_checked(self) -> dict[str, str]:
        return {"everything": "switched off by the environment variable PARAMEDIC"}

    @property
    def spent(self) -> dict[str, Any]:
        return {
            "seconds": 0.0,
            "share": 0.0,
            "steps": 0,
            "looks": {},
            "skipped": 0,
            "treatment": 0.0,
            "once": 0.0,
        }

    def close(self) -> None: ...

    def abandon(self) -> None: ...
