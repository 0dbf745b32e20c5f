"""Treating a run while it goes on: sees each step before it is taken, and acts if it has to.

The policy decides, the user consents, and then it is done, on all ranks alike, and told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from torch.optim import Optimizer

from paramedic.diagnose.case import Case
from paramedic.probe import ranks
from paramedic.probe.attendant import Attending, Bystander, Patient
from paramedic.probe.cycle import Cycle
from paramedic.probe.options import one_of
from paramedic.treat.agreement import Agreement, Report
from paramedic.treat.consent import MODES, Answer, Consent
from paramedic.treat.facts import Facts, Reader
from paramedic.treat.hands import Hands
from paramedic.treat.limits import Limits
from paramedic.treat.orders import Order, for_finding
from paramedic.treat.pace import Pace
from paramedic.treat.policy import Policy
from paramedic.types import Event, Finding, Remedy, Severity

PART = "treatment"
_WORDS = {
    Answer.YES: "applied",
    Answer.NO: "declined",
    Answer.NOBODY: "not applied: nobody was there to ask",
}
_NEEDED = {"steps", "backward", PART}
_MOST_KEPT = 1000  # interventions that are remembered


def attending(
    mode: str, on_remedy: Callable[[Remedy], bool] | None, limits: Mapping[str, Any] | None
) -> Attending:
    """Who stands by a run in this mode. Bad settings are told now, not at step 1,000."""
    one_of("treat", mode, MODES)
    checked = Limits.of(limits)
    if on_remedy is not None and not callable(on_remedy):
        kind = type(on_remedy).__name__
        raise TypeError(f"`on_remedy` must be a function of a remedy but got {kind}.")
    if on_remedy is not None and mode != "ask":
        raise ValueError(f"`on_remedy` is only asked with `treat='ask'` but `treat` is {mode!r}.")
    if mode == "off":
        return Bystander
    return lambda patient: LiveTreatment(patient, mode, on_remedy, checked)


class LiveTreatment:
    """The attendant that treats."""

    def __init__(
        self,
        patient: Patient,
        mode: str,
        on_remedy: Callable[[Remedy], bool] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.acts = True
        self.should_stop = False
        self.seconds = 0.0
        self._mode = mode
        self._guard = patient.guard
        self._limits = limits or Limits()
        self._agreement = Agreement()
        self._consent = Consent(mode, on_remedy, self._agreement)
        self._hands = Hands(patient)
        self._readers = {id(one): Reader(one) for one in patient.optimizers}
        single = len(patient.optimizers) == 1
        self._policies = {
            id(one): Policy(self._limits, losses=single) for one in patient.optimizers
        }
        self._first = next(iter(self._policies))  # at its steps, snapshots are taken
        self._pace = Pace(self._limits.snapshot_every, patient.overhead)
        self._waiting: list[tuple[Case, Order]] = []
        self._treated: set[str] = set()  # slugs that were ordered for
        self._events: list[Event] = []
        self._untold: list[Event] = []
        self._silent = 0  # interventions since the last event that were not worth one
        self._failure: Exception | None = None
        self._step = 0

    # -- what the loop and the monitor tell --------------------------------------------------

    @property
    def interventions(self) -> tuple[Event, ...]:
        return tuple(self._events)

    def news(self) -> Sequence[Event]:
        told, self._untold = self._untold, []
        return told

    def before_step(self, optimizer: Optimizer, step: int, cycle: Cycle) -> None:
        begin = perf_counter()
        self._step = step
        try:
            self._attend(optimizer, step, cycle)
        finally:
            self.seconds += perf_counter() - begin

    def after_step(self, optimizer: Optimizer) -> None:
        try:
            self._hands.let_go()
        except Exception as error:
            if self._guard.strict:
                raise
            self._failure = error

    def step_skipped(self, cycle: Cycle) -> None:
        """A batch that a gradient scaler threw away may have left its mark in the buffers."""
        if self.acts:
            self._try(self._hands.clean_up, cycle)

    def case_opened(self, case: Case, remedies: Sequence[Remedy]) -> None:
        """Something to be treated at one of the next steps: only there can all ranks act. What
        comes right after an intervention has the same cause, and was treated. What was at one
        step only is over, and needs no change that lasts."""
        finding, policy = case.finding, self._policies[self._first]
        over = "moment" in finding.evidence and "first_step" not in finding.evidence
        slight = over or finding.severity is Severity.INFO or finding.slug in self._treated
        mine = self.acts and ranks.rank() == 0  # the others hear of it from there
        if not mine or slight or policy.acted_lately(self._step):
            return
        order = for_finding(
            finding, remedies, self._limits, policy.level, asked=self._mode == "ask"
        )
        if order is not None:
            self._treated.add(finding.slug)
            self._waiting.append((case, order))

    def reported(self, finding: Finding, remedies: Sequence[Remedy]) -> None:
        """Treatment acts on the evidence itself, not on what is said of it."""

    def undo(self) -> Event | None:
        measure = self._hands.lasting.take_back()
        if measure is None:
            return None
        self._treated.add(measure.cause)
        for policy in self._policies.values():
            policy.declined(f"{measure.cause}/roll-back", self._step)
        return self._tell(
            f"undone: {measure.action}", "undo", measure.cause, answer="applied", args={}
        )

    def close(self) -> None:
        self.acts = False
        self._hands.lasting.end()

    # -- a step ------------------------------------------------------------------------------

    def _attend(self, optimizer: Optimizer, step: int, cycle: Cycle) -> None:
        """Other ranks wait for us in the exchange, so it takes place even if we have failed."""
        self._try(self._release, optimizer)
        facts = self._try(self._read, optimizer, step, cycle)
        if cycle.jump is not None and self._agreement.alone:
            facts = self._try(self._after_leap, cycle.jump, facts, optimizer, cycle)
        letter = self._letter() if self._waiting else None
        agreed = self._agreement.reach(Report(facts, self._pace.every, letter))
        if agreed.facts is None:
            self._retire()
            return
        self._try(self._act, optimizer, cycle, agreed)
        if self._failure is not None and self._agreement.alone:
            self._retire()

    def _read(self, optimizer: Optimizer, step: int, cycle: Cycle) -> Facts:
        return self._readers[id(optimizer)].facts(step, cycle, self._hands.lasting.factor)

    def _after_leap(self, jump: Event, facts: Facts, optimizer: Optimizer, cycle: Cycle) -> Facts:
        """The facts once layers that leapt were put right. Where there are several ranks each may
        have glanced at other steps, so it is left to what all of them see."""
        policy = self._policies[id(optimizer)]
        order = policy.leap(self._hands.leaps.factors(jump), facts)
        if order is None:
            return facts
        self._carry_out(order, policy, optimizer, cycle)
        return self._read(optimizer, facts.step, cycle)

    def _letter(self) -> dict[str, Any] | None:
        """What to do about a finding that still holds. A run that gets better is left alone;
        but the loss says nothing about overfitting."""
        self._waiting = [one for one in self._waiting if one[0].is_open]
        improving = self._policies[self._first].improving
        ready = (one for _, one in self._waiting if not improving or one.cause == "overfitting")
        order = next(ready, None)
        return None if order is None else order.to_json()

    def _act(self, optimizer: Optimizer, cycle: Cycle, agreed: Report) -> None:
        facts = agreed.facts
        assert facts is not None
        policy = self._policies[id(optimizer)]
        order = policy.judge(facts)
        if order is None and agreed.letter is not None:
            order = Order.from_json(agreed.letter)
            self._waiting = [one for one in self._waiting if one[1].cause != order.cause]
        if order is not None:
            self._carry_out(order, policy, optimizer, cycle)
        else:
            self._hands.is_good()
            turns = policy.turns(facts.step)
            if id(optimizer) == self._first and (turns or policy.calm):
                self._snapshot(facts, cycle, agreed.every, now=turns)
        self._hands.apply(optimizer, cycle, facts.norm)

    def _snapshot(self, facts: Facts, cycle: Cycle, every: int, *, now: bool) -> None:
        due = self._pace.is_due(facts.step)
        if due or now:
            begin = perf_counter()
            self._hands.snapshots.take(facts.step, cycle.scaler, between=not due)
            self._pace.took(facts.step, perf_counter() - begin, every)

    def _release(self, optimizer: Optimizer) -> None:
        """A rate that the user has put right himself needs us no more."""
        cause = self._hands.lasting.outdated(optimizer)
        if cause is not None:
            self._hands.lasting.take_back(cause)
            message = "the learning rate has come down by itself; it is scaled no more"
            self._tell(message, "undo", cause, answer="applied", args={})

    def _carry_out(self, order: Order, policy: Policy, optimizer: Optimizer, cycle: Cycle) -> None:
        if order.takes_back and self._hands.lasting.take_back(order.takes_back) is not None:
            self._tell(order.reason, "undo", order.takes_back, answer="applied", args={})
        elif not order.remedies:
            self._tell(order.reason, "none", order.cause, answer="not needed", args={})
        allowed = [one for one in order.remedies if one.action in self._limits.actions]
        answers = self._answers(order, allowed)
        done = all(self._apply(order, *answer, optimizer, cycle) for answer in answers)
        if allowed and done:
            policy.carried_out(replace(order, remedies=tuple(allowed)), self._step)
        else:
            policy.declined(order.kind, self._step)

    def _answers(self, order: Order, remedies: Sequence[Remedy]) -> list[tuple[Remedy, Answer]]:
        """What may be done of it: up to the first no. All is asked before anything is done, since
        other ranks wait for the answers."""
        answers = []
        for remedy in remedies:
            question = replace(remedy, title=f"{remedy.title}: {order.reason}")
            answers.append((remedy, self._consent.asked(question)))
            if answers[-1][1] is not Answer.YES:
                break
        return answers

    def _apply(
        self, order: Order, remedy: Remedy, answer: Answer, optimizer: Optimizer, cycle: Cycle
    ) -> bool:
        """Do it and tell; False if it was not done."""
        words = _WORDS[answer]
        if answer is Answer.YES:
            words = self._hands.do(remedy, order, optimizer, cycle) or words
            self.should_stop |= remedy.action == "stop"
        if order.quiet:
            self._silent += 1
        else:
            self._tell(
                f"{remedy.title} ({words}): {order.reason}", remedy.action, order.cause,
                answer=words, args=remedy.args,
            )  # fmt: skip
        return words == _WORDS[Answer.YES]

    def _tell(
        self, message: str, action: str, cause: str, *, answer: str, args: Mapping[str, Any]
    ) -> Event:
        data: dict[str, Any] = {
            "action": action,
            "args": dict(args),
            "cause": cause,
            "answer": answer,
        }
        if self._silent:
            data["not_told_before"] = self._silent
            self._silent = 0
        event = Event(self._step, "intervention", f"Step {self._step}: {message}.", data)
        self._events = [*self._events, event][-_MOST_KEPT:]
        self._untold.append(event)
        return event

    # -- errors of ours ----------------------------------------------------------------------

    def _try(self, function: Callable[..., Any], *args: Any) -> Any:
        """What `function` returns; None once we have failed, in which case we know why."""
        disabled = self._guard.disabled
        if self._failure is not None or (disabled and disabled.keys() & _NEEDED):
            return None
        try:
            return function(*args)
        except Exception as error:
            if self._guard.strict:
                raise
            self._failure = error
            return None

    def _retire(self) -> None:
        """Treat no more."""
        why = self._failure or RuntimeError("another part, or another rank, has failed")
        self._guard.disable(PART, why)
        self.close()
        self._hands.let_go()
