"""One run that is being looked at: read as it grows, once for all who look."""

from __future__ import annotations

import time
from threading import Lock

from paramedic.report.live import standing
from paramedic.report.live.runs import Place, Stamp
from paramedic.report.live.standing import Standing
from paramedic.report.view import Course, Judgement, read
from paramedic.report.view.judgement import of_told
from paramedic.trace import Trace, TraceError

_AGAIN = 5.0  # seconds until a trace that could not be read is tried again
_CHECKS = 15.0  # seconds between two looks at the clock for a run that is silent


class Following:
    """What was read of a run so far.

    `refresh` blocks: call it in a thread. `version` grows with every change, of the numbers or of
    the state. The trace is closed between two looks: a reader that stays keeps its writer from
    leaving one plain file behind.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.version = 0
        self.course: Course | None = None
        self.judgement: Judgement | None = None
        self.standing = Standing()
        self.state, self.problem = standing.EMPTY, ""
        self._stamp, self._changed, self._seen = Stamp(), 0.0, 0.0
        self._lock = Lock()

    @property
    def age(self) -> float:
        """Seconds since the trace has changed."""
        return max(time.time() - self._changed, 0.0)

    @property
    def words(self) -> str:
        """How it goes with the run, in a sentence."""
        trend = self.standing.trend
        return standing.words(self.state, self.age, trend=trend, problem=self.problem)

    @property
    def weight(self) -> int:
        """The bytes that are kept of it."""
        course = self.course
        if course is None:
            return 0
        layers = sum(table.nbytes for table in course.layers.values())
        scalars = sum(row.nbytes for row in course.scalars.values())
        return layers + scalars + 2 * course.pulse.loss.nbytes

    def is_due(self) -> bool:
        """Whether `refresh` may find something new; asks the file's stamp alone."""
        waited = time.monotonic() - self._seen
        if self.state in (standing.DAMAGED, standing.RUNNING, standing.SILENT):
            again = _AGAIN if self.state == standing.DAMAGED else _CHECKS
            if waited > again:
                return True
        return self.place.stamp() != self._stamp

    def refresh(self) -> bool:
        """Read what is new; whether anything is."""
        with self._lock:
            before = (self.version, self.state, self.problem)
            stamp = self.place.stamp()
            if stamp.identity != self._stamp.identity and stamp.is_there:
                self._forget()
            changed = stamp != self._stamp
            self._stamp, self._seen = stamp, time.monotonic()
            if stamp.is_there:
                self._changed = stamp.seconds
                self._read(stamp, changed)
            else:
                self.state = standing.GONE
            if changed or (self.version, self.state, self.problem) != before:
                self.version += 1
            return self.version != before[0]

    def _read(self, stamp: Stamp, changed: bool) -> None:
        if not stamp.size:  # its name is claimed, nothing is written yet
            self.state = standing.EMPTY
            return
        try:
            if changed or self.state == standing.DAMAGED:
                with Trace.open(self.place.path) as trace:
                    self.standing = standing.read(trace)
                    self.course = read(trace, self.course)
                    self.judgement = of_told(trace, self.standing.told)
        except TraceError as error:
            self.state, self.problem = standing.DAMAGED, error.problem
            return
        self.state, self.problem = standing.state(self.standing, self.age), ""

    def _forget(self) -> None:
        """Another file has taken the place: another run."""
        self.course = self.judgement = None
        self.standing = Standing()
