"""Follows the training loop: which backward passes and optimizer steps belong together.

A turn of the loop (a `Cycle`) is one or more backward passes and a step of each optimizer. It ends
when all have stepped, when the next backward pass begins, or when a scaler skips the step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from paramedic.probe.attendant import Attendant, has_closure
from paramedic.probe.backward import backward_passes
from paramedic.probe.call import Call
from paramedic.probe.compiler import Compiler, anything_compiled, never_traced
from paramedic.probe.cycle import Cycle, GradientMarks, carried, single_number
from paramedic.probe.examiner import Examiner
from paramedic.probe.forward import ForwardTap
from paramedic.probe.guard import Guard, aside, harmless
from paramedic.probe.idle import Idle
from paramedic.probe.ledger import Ledger
from paramedic.probe.options import Options
from paramedic.probe.origin import Origin
from paramedic.probe.recorder import Recorder
from paramedic.probe.scaler import scaled_steps, scaler_at_work
from paramedic.probe.schedule import FULL, VITALS, Schedule
from paramedic.probe.step_hooks import StepHooks
from paramedic.probe.strangers import Strangers
from paramedic.probe.tensors import is_sharded
from paramedic.probe.tracer import Tracer
from paramedic.probe.unseen import has_modes

_LONGEST_IDLE = 512  # steps after which the losses noted meanwhile are told


class Loop:
    """Observes one model and its optimizers; calls `on_cycle` at the end of each turn."""

    def __init__(  # noqa: PLR0913 - the parts of a monitor, put together in one place
        self,
        examiner: Examiner,
        optimizers: Sequence[Optimizer],
        options: Options,
        guard: Guard,
        on_cycle: Callable[[int, Cycle], None],
        recorder: Recorder,
        attendant: Attendant,
    ) -> None:
        self.guard = guard
        self._attendant = attendant
        self.schedule = Schedule(options.overhead, options.measure, options.allowance)
        self._step = 0  # the number of the step under way, when it was last looked
        self.batches = 0  # backward passes so far
        self._recorder = recorder
        self._idle = Idle(guard, recorder.notes, self._wake, examiner.modes.notices)
        self._examiner = examiner
        self._options = options
        self._optimizers = {id(optimizer): optimizer for optimizer in optimizers}
        self._scaled = False  # a gradient scaler is in use
        self._on_cycle = on_cycle
        self._tap = ForwardTap(
            examiner.modules, examiner.layers, examiner.copied, guard, observer=self
        )
        self._tracer = Tracer(examiner.layers, options.on_nan, guard)
        self._compiler = Compiler(examiner.layers.models.values())
        self._calls: Sequence[Call] = ()
        self._sentinel: Tensor | None = None
        self._expected = options.accumulate
        self._closure = False  # the last gradients came from inside `optimizer.step(closure)`
        self._hooks = StepHooks(optimizers, self._on_step_begin, self._on_step_end)
        self._ledger = Ledger(self.schedule, guard, recorder)
        self.cycle = Cycle(self.schedule.level(0))
        self._roots: Sequence[Tensor] = ()
        self._marks, self._unread = GradientMarks(), GradientMarks()
        self._origin: Origin | None = None
        self._root_value: float | None = None
        self.blind = False  # compiled code: activations cannot be seen

    def attach(self) -> None:
        """Start to observe."""
        backward_passes.observe(self)
        scaled_steps.observe(self)
        self._hooks.attach()
        self._tracer.open()
        self._arm()

    def detach(self) -> None:
        """Leave no trace of us in the process."""
        backward_passes.forget(self)
        scaled_steps.forget(self)
        self._hooks.detach()
        self._tap.end()
        self._tracer.close()
        self._calls = self._roots = ()
        self._marks, self._unread = GradientMarks(), GradientMarks()
        self._release()

    def _release(self) -> None:
        """Let go of who is told: nothing is to wait for the garbage collector."""
        if self._idle.active:
            self._step = self._idle.step
            self._idle.stop()
            del self.before_backward, self.after_backward
        self._idle.release()
        self._optimizers, self._sentinel = {}, None
        self._hooks.release()
        self._on_cycle = _over

    # -- backward passes ---------------------------------------------------------------------

    @aside("backward")
    def before_backward(self, roots: Sequence[Tensor]) -> None:
        if self.cycle.stepped and not self.cycle.stepping:
            self._finish()
        cycle = self.cycle
        self._roots = roots
        self._root_value = value = single_number(roots)
        if cycle.level is not None:
            self._before_look(cycle, roots)
        self._marks.watch(self._watched(cycle))
        if value is not None and not math.isfinite(value) and self._tracer.active:
            self._origin = self._tracer.of_loss(roots, self._calls)  # while the graph is whole
        self._calls = ()  # what is held longer adds to the peak of the memory
        self._tap.take()
        self._tap.paused = True

    def _watched(self, cycle: Cycle) -> Sequence[Tensor]:
        """The parameters by which a backward pass is known to be ours: mostly one will do."""
        if cycle.level == FULL or self._sentinel is None or len(self._optimizers) > 1:
            return self._examiner.layers.parameters
        return (self._sentinel,)

    def _before_look(self, cycle: Cycle, roots: Sequence[Tensor]) -> None:
        if self._tap.is_open:
            self._calls = self._tap.take()
            self.guard.seconds += self._tap.spent()
        if cycle.level == FULL and not cycle.backwards and len(self._optimizers) == 1:
            cycle.scalars["grad_carried"] = float(carried(self._optimizers.values()))
        if not self._is_last(cycle, coming=1):
            return
        if cycle.level == FULL:
            self._examiner.forward_seen(self._calls, roots)
            self._tracer.learn(roots, self._calls)
        else:
            cycle.scalars.update(self.guard.attempt("batch", self._examiner.fit, roots) or {})

    @aside("backward")
    def after_backward(self) -> None:
        self._tap.paused = False
        try:
            self._passed()
        finally:  # the loss is the user's to let go of
            self._roots, self._origin = (), None
            self._examiner.let_go()
            self._tracer.let_go()

    def _passed(self) -> None:
        """A backward pass is over."""
        origin = self._origin
        if self._attendant.acts:
            self._hooks.put_last()
        touched = self._marks.touched()
        cycle = self.cycle
        if not touched:  # somebody else's backward pass: ours may still clear the gradients
            if not cycle.backwards:
                cycle.scalars.pop("grad_carried", None)
            return
        if not self.batches:
            backward_passes.settle(self, Strangers(self._examiner.layers).is_ours)
        self.batches += 1
        cycle.inside += cycle.stepping
        if cycle.inside > 1:  # LBFGS tries further points: the first is where the step began
            return
        cycle.backwards += 1
        cycle.add_loss(self._root_value, self._roots)
        cycle.origin = cycle.origin or origin
        if len(touched) > 1 or self._sentinel is None:
            self._sentinel = min(touched[:2], key=lambda parameter: parameter.numel())
        last = self._is_last(cycle)
        # Whether the gradients of steps can be held against each other.
        odd = self._scaled or self._closure or len(self._optimizers) > 1
        if cycle.level is not None:
            self._read(cycle, last, vigilant=not odd)
        if self._tracer.active and cycle.origin is None:
            self._tracer.of_gradients(cycle, self._sentinel)
        if last and not odd and self._examiner.glance(self.schedule, cycle, self._step):
            self._startle(cycle)

    def _read(self, cycle: Cycle, last: bool, *, vigilant: bool) -> None:
        if last:
            vigilant = vigilant and self.schedule.overhead is None
            self._examiner.backward_seen(cycle, vigilant=vigilant)
        else:
            self._unread.watch(self._examiner.layers.parameters)

    def _startle(self, cycle: Cycle) -> None:
        """The gradient has jumped: it is looked at, and so are the next ones."""
        if not self.schedule.alert(self._step):
            return
        cycle.jump = self._examiner.jump(self._step)
        if cycle.level is None:
            cycle.level = VITALS
            self._examiner.backward_seen(cycle)

    def _is_last(self, cycle: Cycle, coming: int = 0) -> bool:
        """Whether this backward pass completes the gradient, by what the last steps needed."""
        if cycle.stepping or self._expected is None:
            return True
        return not self._closure and cycle.backwards + coming >= self._expected

    # -- optimizer steps ---------------------------------------------------------------------

    @never_traced
    @harmless("steps")
    def _on_step_begin(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if not self._idle.active:
            self._before_step(optimizer)
            if self._attendant.acts and not has_closure(args, kwargs):
                self._attendant.before_step(optimizer, self._step, self.cycle)

    @never_traced
    @harmless("steps")
    def _on_step_end(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        self._tap.is_ours()
        if not self._idle.active:
            self._after_step(optimizer)
            self._attendant.after_step(optimizer)
        elif self._idle.end_step():
            self._stop_idling()

    @aside("steps")
    def _before_step(self, optimizer: Optimizer) -> None:
        cycle = self.cycle
        if id(optimizer) in cycle.stepped:
            self._finish()
            cycle = self.cycle
        cycle.stepping = True
        if cycle.level is not None and cycle.gradients is None:
            # Fewer passes than usual: read what is there, and say whether somebody wrote to it.
            cycle.gradients_raw = cycle.backwards > 0 and not self._unread.touched()
            self._examiner.backward_seen(cycle)

    @aside("steps")
    def _after_step(self, optimizer: Optimizer) -> None:
        cycle = self.cycle
        cycle.stepping = False
        cycle.stepped.add(id(optimizer))
        if len(cycle.stepped) == len(self._optimizers) and not cycle.scaling:
            self._finish()

    @aside("steps")
    def before_scaled_step(self, optimizer: Optimizer, scale: float) -> None:
        if id(optimizer) in self._optimizers:
            self._wake(None)
            self._scaled = self.cycle.scaling = True
            self.cycle.scaler, self.cycle.scale = scaler_at_work(), scale

    @aside("steps")
    def after_scaled_step(self, optimizer: Optimizer, *, skipped: bool) -> None:
        if id(optimizer) not in self._optimizers:
            return
        cycle = self.cycle
        cycle.scaling = False
        cycle.skipped = cycle.skipped or skipped
        if skipped:
            self._attendant.step_skipped(cycle)
        cycle.stepped.add(id(optimizer))
        if len(cycle.stepped) == len(self._optimizers):
            self._finish()

    # -- the end of a turn -------------------------------------------------------------------

    @property
    def step(self) -> int:
        """The number of the step under way, from 0."""
        return self._idle.step if self._idle.active else self._step

    def give_loss(self, loss: float) -> bool:
        """Take the loss of the step under way from the user; False if none is under way."""
        if self._idle.active and self._idle.backwards:
            self._idle.given = loss
        elif not self._idle.active and self.cycle.backwards and not self.cycle.stepped:
            self.cycle.given = loss
        else:
            return False
        return True

    def missed(self, loss: float | Tensor) -> None:
        """The backward pass of the first step, with this loss, ran before we were there."""
        if self._step == 0 and not self.cycle.backwards:
            self.cycle.backwards, self.cycle.loss = 1, loss

    def charge(self) -> None:
        """What was done since the last step was no look. Asked in a method run `aside`."""
        self._ledger.beside()

    def finish_open(self) -> None:
        """End the turn under way if an optimizer has stepped in it."""
        if not self._idle.active and self.cycle.stepped and not self.cycle.stepping:
            self._finish()

    @aside("steps")
    def _stop_idling(self) -> None:
        """The next step is one to look at, or the mode of the model has changed."""
        self._settle_idle()
        if self._idle.turned:
            self._record_mode(self._step - 1)
        self._begin(self.schedule.level(self._step))

    def _settle_idle(self) -> None:
        idle = self._idle
        steps, seconds, cost = idle.stop()
        del self.before_backward, self.after_backward  # those of the class again
        self._hooks.wake()
        self._recorder.settle()
        self._step = idle.step
        self.batches += idle.batches
        self.guard.seconds += cost + steps * self.schedule.glances
        if steps:
            self.schedule.passed(seconds / steps, cost / steps)
        self._ledger.restart()

    def _wake(self, roots: Sequence[Tensor] | None) -> None:
        """Something happened between two looks: go on with open eyes, from where we are.

        With `roots`, a backward pass begins whose loss is not a plain finite number; without,
        the gradient of the last one is not finite, or a gradient scaler has appeared.
        """
        idle = self._idle
        if not idle.active:
            return
        self._settle_idle()
        self.cycle = Cycle(None, loss=idle.loss, backwards=idle.backwards, given=idle.given)
        if roots is not None:
            self.before_backward(roots)
        elif idle.jumped:
            self._startle(self.cycle)
        elif self._tracer.active and idle.backwards:
            self._tracer.of_gradients(self.cycle, self._sentinel)

    def _finish(self) -> None:
        cycle = self.cycle
        self._examiner.after_step(cycle)
        cycle.unscale_loss()
        self._tracer.settle(cycle)
        self._closure = cycle.inside > 0
        if self._options.accumulate is None and cycle.backwards:
            self._expected = cycle.backwards - self._closure
            self._examiner.accumulates(cycle.backwards)
        self._on_cycle(self._step, cycle)
        if self._examiner.modes.notices(self._step):
            self._record_mode(self._step)
        self._examiner.at_rest(cycle)
        self._ledger.turn(self._step, cycle.level, self._examiner.meter.shards)
        self._step += 1
        self._begin(self.schedule.level(self._step))

    def _record_mode(self, step: int) -> None:
        if (event := self._examiner.modes.event(step)) is not None:
            self._recorder.event(event)

    def _begin(self, level: str | None) -> None:
        self.cycle = Cycle(level)
        self._arm()
        if level is None and self._is_plain():
            assert self._sentinel is not None
            latest = self._step + _LONGEST_IDLE
            (due, is_quiet), vigil = self.schedule.next_look(self._step), self._examiner.meter.vigil
            glance = vigil.follow if is_quiet else vigil.glance
            glances, due = (glance, self.schedule.stride, self._expected or 1), min(due, latest)
            self._idle.start(self._step, due, self._sentinel, glances)
            self._hooks.rest()
            # Its methods stand in for those of the class: a call less in each backward pass.
            self.before_backward = self._idle.before_backward  # type: ignore[method-assign]
            self.after_backward = self._idle.after_backward  # type: ignore[method-assign]

    def _is_plain(self) -> bool:
        """Whether the steps until the next look can be left to `Idle`."""
        odd = self._closure or self._scaled or not self._tracer.active or len(self._optimizers) > 1
        odd = odd or self._attendant.acts or has_modes()
        one = self._sentinel
        return not odd and one is not None and one.is_cpu and not is_sharded(one)

    def _arm(self) -> None:
        """Put the forward hook up for a step that will be looked at in full, else take it down."""
        self.blind = self._examiner.chart.compiled or self._compiler.is_used()
        if self.blind and anything_compiled():
            self._tap.mute()
        elif not self.blind and self.cycle.level == FULL:
            self._tap.open()
        else:
            self._tap.close()


def _over(step: int, cycle: Cycle) -> None: ...
