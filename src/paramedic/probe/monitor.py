"""The object that `paramedic.watch` returns."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from torch import Tensor, nn
from torch.optim import Optimizer

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.condition import Condition, condition
from paramedic.diagnose.engine import Engine
from paramedic.diagnose.metric import Metric
from paramedic.diagnose.status import Status, flow
from paramedic.diagnose.summary import Summary
from paramedic.prescribe.pharmacist import Pharmacist
from paramedic.prescribe.ranking import Emergency, direct_first
from paramedic.probe import ranks
from paramedic.probe.announcer import Announcer
from paramedic.probe.attendant import Attending, Bystander, Patient
from paramedic.probe.audience import Audience
from paramedic.probe.cycle import Cycle
from paramedic.probe.examiner import Examiner
from paramedic.probe.guard import Guard, aside, harmless
from paramedic.probe.loop import Loop
from paramedic.probe.options import Options
from paramedic.probe.origin import Origin
from paramedic.probe.recorder import Recorder
from paramedic.probe.reporting import report_of, unmeasured
from paramedic.probe.standing import KEY, Standing
from paramedic.probe.teller import Teller
from paramedic.trace import Writer, newest_path
from paramedic.types import Chart, Epoch, Event, Finding, Remedy, Verdict, Window


class Monitor:
    """Watches a training loop until it is closed; also a context manager.

    Nothing has to be called: optimizer steps, losses and gradients are seen. `step` and `epoch`
    hand in what cannot be seen.
    """

    def __init__(
        self,
        models: Mapping[str, nn.Module],
        optimizers: Sequence[Optimizer],
        options: Options,
        attending: Attending = Bystander,
    ) -> None:
        self._began, self._closed, self._attaching = time.perf_counter(), False, 0.0
        self.guard = Guard(strict=options.strict)
        self._options = options
        self._examiner = Examiner(models, optimizers, options, self.guard)
        engine = Engine(options.detectors(), on_open=self._on_open, slow=options.slow)
        self._pharmacist = Pharmacist(engine.detectors)
        self._attendant = attending(Patient(models, optimizers, self.guard, options.overhead))
        self._audience = Audience(
            options.sinks, options.display, self.guard, options.overhead, self.status
        )
        self._recorder = Recorder(self._open_trace(options), engine, self._audience)
        self._teller = Teller(options.log)
        self._announcer = Announcer()
        self._standing = Standing(self._recorder.meta)
        self._loop = Loop(
            self._examiner, optimizers, options, self.guard, self._on_cycle, self._recorder,
            self._attendant,
        )  # fmt: skip
        self._recorded_chart: Chart | None = None
        self._epochs = self._skipped = 0
        self._teller.start(self._examiner.chart)
        self._loop.attach()
        self._attaching = time.perf_counter() - self._began - self.guard.seconds

    def _open_trace(self, options: Options) -> Writer | None:
        """Rank 0 writes; the trace of an earlier run is kept under another name."""
        self.trace: Path | None = None
        if options.trace is None or ranks.rank() != 0:
            return None
        self.trace = newest_path(options.trace)
        return Writer(self.trace, size_limit=options.size_limit)

    # -- what the user may hand in -----------------------------------------------------------

    @aside("step")
    def step(self, loss: float | Tensor) -> None:
        """Give the loss of a step where it is not found: of the step under way if its backward
        pass has run, else of the last one."""
        value = _number(loss)
        if not self._loop.give_loss(value) and self._loop.step:
            self._recorder.amend_loss(value)

    @aside("epoch")
    def epoch(self, /, **values: float | Tensor) -> None:
        """Give the numbers of an epoch: `train_loss`, `val_loss`, `train_acc`, `val_acc`, or any
        other name."""
        numbers = {name: _number(value) for name, value in values.items()}
        self._loop.finish_open()
        self._recorder.epoch(Epoch(self._epochs, self.last_step, numbers))
        self._epochs += 1
        self._teller.epoch(self.summary)
        if self._recorder.writer is not None:
            self._standing.tell(self._stands)
        self.charge()

    def remember(self, losses: Sequence[float], epochs: Sequence[Mapping[str, float]]) -> None:
        """What was seen of this run before it was interrupted: the loss of each step, the numbers
        of each epoch. Without them a resumed run is judged as if it began where it goes on."""
        self._recorder.engine.remember(losses, epochs)
        self._epochs += len(epochs)

    def follow(self, other: Monitor) -> None:
        """Take the place of a monitor of the same model in the middle of a step: its optimizer
        was made between the backward pass and the step."""
        cycle = other._loop.cycle
        if cycle.backwards and cycle.loss is not None and not cycle.stepped:
            self._loop.missed(cycle.loss)

    def charge(self) -> None:
        """Put what was done for the run since its last step, in a method that runs `aside`, on the
        account of watching: the next looks wait until it is paid for."""
        self._loop.charge()

    def undo(self) -> Event | None:
        """Take back the newest intervention that still lasts (a rate, a clip, a dropout); None if
        there is none. With several processes, all have to call it after the same step."""
        event = self._attendant.undo()
        self._tell_news()
        return event

    # -- what can be asked -------------------------------------------------------------------

    @property
    def chart(self) -> Chart:
        """What is known of the model, the optimizer, the loss and the task."""
        return self._examiner.chart

    @property
    def last_step(self) -> int:
        """The number of the last finished step, from 0; -1 before the first."""
        return self._loop.step - 1

    def window(self) -> Window:
        """The last frames, for detectors and for looking."""
        return self._recorder.window()

    @property
    def diagnosis(self) -> Diagnosis:
        """What was found so far: the root, its consequences, what was not checked."""
        self._recorder.settle()
        return self._recorder.engine.diagnosis()

    def current(self, since: int = -1) -> Diagnosis:
        """What is wrong now, without what has gone again or was not found again since a step."""
        self._recorder.settle()
        return self._recorder.engine.current(since)

    def mean_loss(self, since: int = -1) -> float:
        """The mean loss of the steps after one that were seen last; NaN if none was."""
        self._recorder.settle()
        return self._recorder.engine.mean_loss(since)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found, the root first."""
        return self.diagnosis.findings

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What to do about what was found, the single best intervention first."""
        return self._pharmacist.remedies(self.diagnosis, self.window())

    @property
    def emergency(self) -> Emergency | None:
        """Several problems that are open now, as one event; None if fewer than two are."""
        return self._pharmacist.emergency(self.current(), self.window())

    @property
    def verdict(self) -> Verdict:
        """Whether the run learns, as far as it has come."""
        return self.conclusion.verdict

    def judge_by(self, metric: Metric | None, surrogate: str) -> None:
        """Judge the run by a metric of its own; `surrogate` is why its loss measures nothing."""
        self._recorder.engine.metric, self._recorder.engine.surrogate = metric, surrogate

    @property
    def conclusion(self) -> Conclusion:
        """The verdict with its reason and numbers, the faults, and the suspicions."""
        self._recorder.settle()
        return self._recorder.engine.conclusion()

    @property
    def condition(self) -> Condition:
        """The same with the trend of the loss: `print(monitor.condition)` says it in words."""
        return condition(self.conclusion, self.window())

    def report(self, name: str = "training") -> dict[str, Any]:
        """The report `paramedic/report@2` of this run, for JSON."""
        return report_of(self, name)

    def summary(self) -> Summary:
        """How the run stands, as it is logged at each epoch and at the end."""
        found = self.condition, self.window().epochs, self.conclusion.shown, self.interventions
        return Summary(self.last_step, *found)

    def status(self) -> Status:
        """How the run stands, in the numbers that a display shows."""
        window, spent = self.window(), self.spent
        return Status(
            step=max(self.last_step, window.last_step),
            steps=self._options.steps,
            condition=self.condition,
            findings=self.conclusion.shown,
            interventions=self.interventions,
            epochs=window.epochs,
            pulse=window.pulse,
            flow=flow(window),
            overhead=spent["share"],
            looks=sum(spent["looks"].values()),
            seconds=time.perf_counter() - self._began - spent["once"],
        )

    @property
    def interventions(self) -> tuple[Event, ...]:
        """What was done to the run, or asked for, oldest first; nothing with `treat="off"`."""
        return self._attendant.interventions

    @property
    def should_stop(self) -> bool:
        """Whether treatment has given the run up."""
        return self._attendant.should_stop

    @property
    def labels(self) -> dict[int, int]:
        """How often each integer label was seen in the batches that were looked at."""
        return self._examiner.labels.table()

    @property
    def not_checked(self) -> dict[str, str]:
        """What could not be measured or recorded, and why."""
        parts = self.guard, self._recorder.writer, self._teller.journal
        vitals_only = self._options.measure != "full"
        return unmeasured(*parts, blind=self._loop.blind, vitals_only=vitals_only)

    def _share(self) -> float:
        total = time.perf_counter() - self._began - self._attaching - self.guard.seconds
        ours = max(self.guard.seconds - self._audience.once, 0.0)
        return ours / max(total, 1e-9)

    @property
    def spent(self) -> dict[str, Any]:
        """What watching has cost: seconds, share of the run's time, and how often it looked.
        `once` are the seconds of attaching and of opening and closing trackers, not in `share`."""
        return {
            "seconds": self.guard.seconds + self._attaching,
            "share": self._share(),
            "steps": self._loop.step,
            "looks": dict(self._loop.schedule.looks),
            "skipped": self._skipped,
            "treatment": self._attendant.seconds,
            "once": self._audience.once + self._attaching,
        }

    # -- the end -----------------------------------------------------------------------------

    @harmless("close")
    def close(self) -> None:
        """Stop watching and write what is left. Closing twice does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            self._finish()
        finally:
            self._leave()
            told, shown = self._audience.close_display, self.trace
            self.guard.attempt("display", lambda: told(self.remedies, shown))
            self._release()

    def abandon(self) -> None:
        """Stop watching and write nothing: the record of a forked child's parent is not its own."""
        self._closed = True
        self._leave()
        self._release()

    def _leave(self) -> None:
        self.guard.attempt("hooks", self._loop.detach)
        self.guard.attempt("treatment", self._attendant.close)

    def _release(self) -> None:  # hold nothing of the user's, and no circle of references
        self.guard.attempt("layers", self._examiner.release)
        self.guard.attempt("audience", self._audience.release)
        self.guard.attempt("engine", self._recorder.engine.release)

    @aside("close")
    def _finish(self) -> None:
        self._loop.finish_open()
        self._recorder.chart(replace(self._examiner.chart, not_checked=self.not_checked))
        self.guard.attempt("diagnosis", self._recorder.finish)
        self._tell_news()
        self._announcer.wake()
        self._announce(ended=True)
        self._teller.end(self.summary(), self.conclusion)
        labels = {str(label): count for label, count in self.labels.items()}
        brief = {"step": self.last_step, **self.condition.to_json(), "ended": True}
        self._recorder.close({**self._told(), "labels": labels, KEY: brief})
        self._audience.close_sinks(self.summary(), self.trace)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- what the loop tells -----------------------------------------------------------------

    def _on_cycle(self, step: int, cycle: Cycle) -> None:
        if cycle.given is not None:
            cycle.loss, cycle.loss_finite = cycle.given, math.isfinite(cycle.given)
        self._recorder.pulse(step, cycle.loss, cycle.loss_finite, cycle.skipped)
        if cycle.level is not None:
            self._record_chart()
            self._recorder.frame(self._examiner.frame(step, cycle, self._share()))
        if cycle.jump is not None:
            self._recorder.event(cycle.jump)
        if cycle.skipped:
            self._skipped += 1
        if cycle.origin is not None:
            self._tell_origin(step, cycle.origin)
        self._tell_news()
        if cycle.level is not None:
            self._announce()
            if self._recorder.writer is not None:
                self._standing.tell(self._stands)

    def _tell_news(self) -> None:
        for event in self._attendant.news():
            self._recorder.event(event)
            self._teller.intervention(event)

    def _told(self) -> dict[str, Any]:
        """What was found, for the record."""
        engine = self._recorder.engine
        return {
            "spent": self.spent,
            "diagnosis": engine.diagnosis().to_json(),
            "assessment": engine.conclusion().to_json(),
            "cases": [case.to_json() for case in engine.cases],
            "remedies": [remedy.to_json() for remedy in self.remedies],
        }

    def _stands(self) -> dict[str, Any]:
        return {"step": self.last_step, **self.condition.to_json(), **self._told()}

    def _on_open(self, case: Case) -> None:
        """The engine is certain of something. Its remedies are prepared while the numbers before
        it are there. All ranks judge; one of them tells."""
        finding, window = case.finding, self._recorder.engine.window()
        remedies = self.guard.attempt("remedies", self._pharmacist.see, finding, window) or ()
        self._teller.finding(finding, direct_first(remedies))
        self._announcer.wake()
        self._standing.wake()
        self._attendant.case_opened(case, remedies)

    def _announce(self, *, ended: bool = False) -> None:
        """Report what is certain by now, or likely in a run that does not learn."""
        for finding in self._announcer.news(self._recorder.engine, self.last_step, ended=ended):
            found = direct_first([one for one in self.remedies if finding.slug in one.against])
            self._teller.announce(finding)
            self._audience.finding(finding, found)
            self._attendant.reported(finding, found)
            self._standing.wake()

    def _tell_origin(self, step: int, origin: Origin) -> None:
        batch = self._loop.batches - 1
        data = {**origin.to_json(), "step": step, "batch": batch}
        self._recorder.event(Event(step, "non-finite", origin.sentence(step, batch), data))

    def _record_chart(self) -> None:
        chart = self._examiner.chart
        if chart is not self._recorded_chart:
            if self._recorded_chart is None:
                self._recorder.meta("first_chart", chart.to_json())
            else:  # a replay must know when it changed
                message = "The chart changed."
                step = max(self._loop.step, 0)
                self._recorder.write_event(Event(step, "chart", message, chart.to_json()))
            self._recorder.chart(chart)
            self._recorded_chart = chart


def _number(value: float | Tensor) -> float:
    return float(value.detach()) if isinstance(value, Tensor) else float(value)
