"""What a user would have been told while a recorded run went on."""

from __future__ import annotations

from collections.abc import Sequence

from paramedic.diagnose.case import Case
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.engine import Engine
from paramedic.probe.announcer import Announcer
from paramedic.types import Severity


class TellingEngine(Engine):
    """An engine that also keeps what a watch with this evidence reports, warning by warning."""

    def __init__(self, detectors: Sequence[Detector]) -> None:
        self._announcer = Announcer()
        self._told: set[str] = set()
        super().__init__(detectors, on_open=self._opened)

    def settle(self) -> None:
        """Examine the frame that waits; then a watch reports."""
        super().settle()
        self._report()

    def finish(self) -> None:
        """The end, at which a watch reports whatever its pace was."""
        super().finish()
        self._announcer.wake()
        self._report()

    @property
    def warned(self) -> tuple[str, ...]:
        """What was told as a warning or worse: faults, symptoms of a run that fails, and the most
        likely cause of one that was seen not to learn, also if the run recovered later; and what
        the report warns of at its end."""
        ended = self.conclusion()
        late = {
            one.slug
            for one in (*ended.faults, *ended.symptoms)
            if ended.severity(one) is not Severity.INFO
        }
        return tuple(sorted(self._told | late))

    def _opened(self, case: Case) -> None:
        self._announcer.wake()

    def _report(self) -> None:
        if self.cases:
            news = self._announcer.news(self, self.window().last_step)
            self._told |= {one.slug for one in news if one.severity is not Severity.INFO}
