"""Feeds windows to the detectors and keeps the cases; the same for a live run and for a replay.

Whoever tells the run's story, a monitor or a recorded trace, calls `chart`, `pulse`, `frame`,
`event` and `epoch` in the order things happened, and `finish` at the end. When to examine is
decided here, by what was told alone, so that a replay comes to the same findings at the same
steps.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis, diagnose
from paramedic.diagnose.conclusion import Conclusion, conclude
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.jumps import JUMP, Startle
from paramedic.diagnose.metric import Metric
from paramedic.diagnose.modes import MODE
from paramedic.diagnose.verdict import judge
from paramedic.trace.history import History
from paramedic.trace.replay import Vitals
from paramedic.types import Chart, Epoch, Event, Finding, Frame, Severity, Window

_log = logging.getLogger("paramedic")

_SHARE = 4  # after a quarter more frames than at the last examination …
_MOST = 64  # … but at least every 64th: a window shows as many
_EACH_EPOCH = 32
SLOW = 0.25  # seconds of one examination, after which a detector is too slow
_PATIENCE_TO_CLOSE = 4  # examinations without it before a case is closed


@dataclass(slots=True)
class _Ward:
    """One detector at work: what it saw lately, and whether it still may."""

    detector: Detector
    agreed: int = 0  # examinations in a row that found something
    absent: int = 0  # examinations in a row that found nothing, while a case is open
    reason: str | None = "nothing was seen yet"  # why it could not judge; None once it could
    failure: str | None = None


class Engine:
    """Examines one run with the given detectors. One that takes more than `slow` seconds for an
    examination is switched off; None lets each take its time, so that no clock has a say."""

    def __init__(
        self,
        detectors: Sequence[Detector] = (),
        *,
        frames: int = 64,
        pulses: int = 4096,
        every_frame: bool = False,
        on_open: Callable[[Case], None] | None = None,
        slow: float | None = SLOW,
    ) -> None:
        self.detectors = tuple(detectors)
        self._slow = math.inf if slow is None else slow
        self._on_open = on_open
        self._every_frame = every_frame
        self.cases: list[Case] = []
        self.seconds = 0.0  # that examinations have taken so far
        self.metric: Metric | None = None  # by which the program measures itself; see `judge`
        self.surrogate = ""  # why the loss does not measure progress, if it does not
        self._open: dict[str, Case] = {}
        self._wards = [_Ward(detector) for detector in self.detectors]
        self._history = History(frames, pulses)
        self._fresh: deque[Frame] = deque(maxlen=frames)  # not remembered yet
        self._frames = self._epochs = 0
        self._due, self._due_epoch = 1, 1
        self._pending: int | None = None  # the step of a frame that waits for its successor
        self._alarm = -1  # the step of the newest event that tells of a non-finite value
        self._newest: Frame | None = None  # the newest frame while its loss may be amended
        self._startle = Startle()
        self._startled = False  # by the newest frame or one just before it
        self._final = False  # the newest heartbeat may not be amended any more
        self._began = 0.0  # the clock of this thread when the last examination began

    def release(self) -> None:
        """Tell nobody any more."""
        self._on_open = None

    # -- the story -------------------------------------------------------------------------------

    def chart(self, chart: Chart) -> None:
        """What does not change in the run; called again if it does."""
        self._history.set_chart(chart)

    def pulse(self, step: int, loss: float, finite: bool, skipped: bool) -> None:
        """A heartbeat."""
        if self._pending is not None and step > self._pending:
            self.settle()
        self._history.add_pulse(step, loss, finite, skipped)
        self._final = False

    def frame(self, frame: Frame) -> None:
        """A frame. It is examined when the next thing is told: until then it may be amended."""
        self.settle()
        self._fresh.append(frame)  # remembered when somebody wants to see it: looks are frequent
        self._newest = frame
        finite = frame.scalars.get("loss_finite", 1.0) != 0.0 and _has_finite_gradient(frame)
        norm, rate = (frame.scalars.get(name, math.nan) for name in ("grad_norm", "lr/0"))
        self._frames += 1
        self._startled = self._startle.notices(norm, rate)
        self._schedule(frame.step, finite)

    def framed_until_due(self, frames: Iterable[tuple[int, Vitals]]) -> int:
        """Frames that somebody adds to the history himself, up to one that is to be examined, or
        all: how many were taken. Of each its step and whether its loss and its gradient were
        finite, the norm of the gradient and the learning rate. Replays call it for every frame:
        it is kept flat."""
        notices, taken = self._startle.notices, 0
        for step, (loss_finite, gradient_finite, norm, rate) in frames:
            taken += 1
            self._startled = notices(norm, rate)
            # What is NaN is not known, and not zero.
            sound = loss_finite != 0.0 and gradient_finite != 0.0
            due = self._frames + taken >= self._due or step == self._alarm
            if due or self._startled or not sound:
                self._pending = step
                break
        self._frames += taken
        return taken

    def _schedule(self, step: int, finite: bool) -> None:
        urgent = self._startled or not finite or self._alarm == step
        self._pending = step if self._frames >= self._due or urgent else None

    @property
    def waits(self) -> bool:
        """Whether a frame waits to be examined."""
        return self._pending is not None

    @property
    def is_due(self) -> bool:
        """Whether the next frame will be one to examine."""
        return self._frames + 1 >= self._due

    def event(self, event: Event) -> None:
        """Something that happened once. A jump and a change of mode are examined at once; what is
        not finite like a frame, even if its step was not looked at."""
        self._history.add_event(event)
        if event.kind == MODE:
            self._pending = event.step
        if event.kind == JUMP:
            self._startle.wake()
            self._startled = True
            self._pending = event.step
        if event.kind == "non-finite":
            self._pending = self._alarm = event.step

    def epoch(self, epoch: Epoch) -> None:
        """The numbers of an epoch."""
        self.settle()
        self._history.add_epoch(epoch)
        self._final = True
        self._epochs += 1
        if self._epochs >= self._due_epoch:
            self._due_epoch = self._epochs + max(1, self._epochs // _EACH_EPOCH)
            self._examine(self.window(), epoch_ended=True)

    def remember(self, losses: Sequence[float], epochs: Sequence[Mapping[str, float]]) -> None:
        """What was seen of the run before it was interrupted."""
        for place, loss in enumerate(losses):
            self._history.add_pulse(place - len(losses), loss, math.isfinite(loss), False)
        for number, values in enumerate(epochs):
            self._history.add_epoch(Epoch(number, -1, dict(values)))

    def mean_loss(self, since: int = -1) -> float:
        """The mean loss of the steps after one, as far as they are remembered; NaN if none of them
        is known and finite."""
        pulse = self.window().pulse
        losses = pulse.loss[(pulse.step > since) & np.isfinite(pulse.loss)]
        return float(losses.mean()) if len(losses) else math.nan

    def amend_loss(self, loss: float, finite: bool) -> None:
        """Another loss for the newest step, unless an epoch has ended since: then it is final, in
        the trace too."""
        if self._final:
            return
        self._remember()
        newest = self._newest
        amended = self._history.amend_loss(loss, finite)
        if amended and newest is not None and "loss_finite" in newest.scalars:
            # A replay will find the frame as amended, and must examine it or not alike.
            self._schedule(newest.step, finite and _has_finite_gradient(newest))

    def settle(self) -> None:
        """Examine the frame that waits, if there is one."""
        self._newest = None
        if self._pending is not None:
            self._pending = None
            self._due = self._frames + self._distance()
            self._examine(self.window())

    def _distance(self) -> int:
        """How many frames until the next examination."""
        return 1 if self._every_frame else max(1, min(self._frames // _SHARE, _MOST))

    def finish(self) -> None:
        """The run has come to its end."""
        self.settle()
        self._examine(replace(self.window(), ended=True, _derived={}), epoch_ended=True)

    # -- the answers -----------------------------------------------------------------------------

    @property
    def history(self) -> History:
        """The memory, for whoever reads frames faster than `frame` can take them."""
        return self._history

    def window(self) -> Window:
        """What the detectors would see now."""
        self._remember()
        return self._history.window()

    def _remember(self) -> None:
        if self._fresh:
            fresh = tuple(self._fresh)
            self._fresh.clear()
            self._history.add_frames(fresh)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What holds now, the root first."""
        return self.diagnosis().findings

    def diagnosis(self) -> Diagnosis:
        """All cases of the run put together, open and closed ones."""
        return diagnose(self.cases, self.detectors, self.not_checked)

    def conclusion(self) -> Conclusion:
        """The verdict on the run so far, with what was found."""
        with np.errstate(all="ignore"):
            assessment = judge(self.window(), self.metric, self.surrogate)
        return conclude(self.diagnosis(), self.cases, assessment)

    def current(self, since: int = -1) -> Diagnosis:
        """What is wrong now: the open cases alone, of these what was found again since a step."""
        there = [case for case in self.cases if case.is_open and case.seen >= since]
        return diagnose(there, self.detectors)

    @property
    def not_checked(self) -> dict[str, str]:
        """Every slug that could not be judged, and why."""
        return {
            ward.detector.slug: ward.failure or ward.reason or ""
            for ward in self._wards
            if ward.failure or ward.reason
        }

    # -- examining -------------------------------------------------------------------------------

    def _examine(self, window: Window, *, epoch_ended: bool = False) -> None:
        begin, self._began = time.perf_counter(), time.thread_time()
        step = window.last_step
        with np.errstate(all="ignore"):  # a run that blows up must not fill the screen with us
            for ward in self._wards:
                if ward.failure is None and (epoch_ended or not ward.detector.by_epoch):
                    self._visit(ward, window, step)
        self.seconds += time.perf_counter() - begin

    def _visit(self, ward: _Ward, window: Window, step: int) -> None:
        detector = ward.detector
        begin = time.perf_counter()
        try:
            reason = _unmeasured(detector, window) or detector.missing(window)
            finding = detector.examine(window) if reason is None else None
            if finding is not None:
                _check(finding, detector)
        except Exception as error:  # noqa: BLE001 - one detector must not take the others with it
            self._switch_off(ward, f"it failed: {type(error).__name__}: {error}")
            return
        seconds = time.perf_counter() - begin
        # A machine that is busy elsewhere does not make it slow: that takes no time of ours.
        if seconds > self._slow and time.thread_time() - self._began > self._slow:
            self._switch_off(ward, f"it took {seconds:.2f} s for one examination")
            return
        if reason is None:
            ward.reason = None
            self._note(ward, finding, step)
        elif ward.reason is not None:
            ward.reason = reason

    def _note(self, ward: _Ward, finding: Finding | None, step: int) -> None:
        slug = ward.detector.slug
        case = self._open.get(slug)
        if finding is None:
            ward.agreed = 0
            ward.absent += 1
            if case and ward.absent >= _PATIENCE_TO_CLOSE and not ward.detector.lasting:
                case.closed = step
                del self._open[slug]
            return
        ward.agreed += 1
        ward.absent = 0
        if case is not None and _is_grave(case.finding) < _is_grave(finding):
            case.closed = step  # what was a note is more than that: it is told anew
            del self._open[slug]
            case = None
        if case is not None:
            case.finding, case.seen = replace(finding, step=case.finding.step), step
        elif ward.agreed >= ward.detector.patience:
            self._open[slug] = Case(finding, step, step)
            self.cases.append(self._open[slug])
            if self._on_open is not None:
                self._on_open(self._open[slug])

    def _switch_off(self, ward: _Ward, why: str) -> None:
        ward.failure = f"switched off: {why}"
        _log.warning(
            "Paramedic switched off the detector %s (%s): %s. The others go on.",
            ward.detector.code,
            ward.detector.slug,
            why,
        )


def _is_grave(finding: Finding) -> bool:
    return finding.severity is not Severity.INFO


def _has_finite_gradient(frame: Frame) -> bool:
    return frame.scalars.get("grad_finite", 1.0) != 0.0


def _unmeasured(detector: Detector, window: Window) -> str | None:
    """Which statistics the detector needs and the probe did not give."""
    absent = [
        name for name in detector.needs if name not in window.layers and name not in window.scalars
    ]
    if not absent:
        return None
    if any(name.startswith(("act_", "input_")) for name in absent):
        why = window.chart.not_checked.get("activations")
        if why is not None:
            return f"activations were not measured: {why}"
    return f"{', '.join(sorted(absent))}: not measured"


def _check(finding: object, detector: Detector) -> None:
    """What a detector returns is somebody else's code: it must be what it says it is."""
    if not isinstance(finding, Finding):
        raise TypeError(f"it returned {finding!r} instead of a Finding or None")
    if finding.slug != detector.slug or finding.code != detector.code:
        raise ValueError(f"its finding is called {finding.code} ({finding.slug})")
    if not (isinstance(finding.confidence, int | float) and math.isfinite(finding.confidence)):
        raise ValueError(f"its confidence is {finding.confidence!r}")
    if not 0.0 <= finding.confidence <= 1.0:
        raise ValueError(f"its confidence is {finding.confidence}, not between 0 and 1")
