"""Trainings without an optimizer: the program itself moves weights along their gradients.

    for p in model.parameters():
        p.data.add_(p.grad, alpha=-lr)

It shows in two things: a backward pass fills gradients of parameters that no optimizer holds, and
when the model is called again their values have changed. Such parameters get a shadow, an
optimizer of torch that steps when this is seen; the update itself is not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim import Optimizer

from paramedic.probe.backward import backward_passes
from paramedic.probe.compiler import never_traced
from paramedic.probe.cycle import GradientMarks
from paramedic.probe.graph import leaf_tensors
from paramedic.probe.guard import Guard, aside
from paramedic.run.notebook import Notebook
from paramedic.run.pairing import held, outermost, owners
from paramedic.run.patching import Function, Patches
from paramedic.run.places import Place, caller
from paramedic.run.shadow import shadow

OnStep = Callable[[Optimizer, Any, Any], None]
NAME = "by hand"  # what the chart shows for the optimizer
_SENTINELS = 4  # small parameters that are compared to see whether weights have moved
_SAMPLE = 4096  # values of each
_CALLS = 8  # of modules after a backward pass, at which is asked whether weights have moved
_CLOSE = 0.01  # share of an update that a multiple of the gradient may leave unexplained
_ROUNDED = 20  # rounding errors that an update must exceed for its rate to be known
_RATES = 4  # steps at which the rate is measured; then each 16th
_WRITERS = ("add_", "sub_", "__iadd__", "__isub__", "copy_", "addcmul_", "addcdiv_")


class Hand:
    """The parameters of one such training, and what they were before they moved."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.tensors = list(tensors)
        self.shadow = shadow(NAME, self.tensors)
        self.waits = False  # a backward pass has run, and the weights have not moved since
        self.pen: Pen | None = Pen(self.tensors)
        self._sentinels: list[Tensor] = []
        self._marks = GradientMarks()
        self._versions: list[int] = []
        self._before: list[Tensor] = []  # values; none where versions show all
        self._gradients: list[Tensor] = []
        self._counted = False  # updates are seen by the versions of tensors, not only by values
        self._steps = 0

    def before_backward(self) -> None:
        self._marks.watch(self._sentinels or self.tensors)

    def after_backward(self) -> bool:
        """Note how the weights are now; False if the backward pass was not of this training."""
        if not self._marks.touched():
            return False
        if not self._sentinels:
            ranked = sorted((one for one in self.tensors if one.grad is not None), key=_rank)
            self._sentinels = ranked[:_SENTINELS]
        self._counted = self._counted and not self.waits  # else `.data` may be used by now
        self.waits = True
        measured = self._steps < _RATES or self._steps % 16 == 0
        self._versions = [one._version for one in self._sentinels]
        self._before = (
            [_sample(one).clone() for one in self._sentinels]
            if measured or not self._counted
            else []
        )
        # Held as it is: clipping writes to it, and `zero_grad` only lets go of it.
        grads = [one.grad for one in self._sentinels] if measured else []
        self._gradients = [one for one in grads if one is not None]
        return True

    def moved(self) -> bool:
        """Whether the weights have been written to since the last backward pass."""
        if [one._version for one in self._sentinels] != self._versions:
            self._counted = True
            return True
        if self._counted or not self._before:
            return False
        pairs = zip(self._sentinels, self._before, strict=True)
        return any(not _same(_sample(one), before) for one, before in pairs)

    def step(self) -> None:
        """The weights have moved: for the hooks of the shadow, it steps."""
        rate = self._rate() if len(self._gradients) == len(self._sentinels) else None
        if rate is not None:
            self.shadow.param_groups[0]["lr"] = rate
        self.waits, self._gradients = False, []
        self._steps += 1
        self.shadow.stepped()

    def put_pen_down(self) -> Place | None:
        """Look no more for the line that moves the weights; the line, if it was seen now."""
        pen, self.pen = self.pen, None
        return None if pen is None else pen.close()

    def _rate(self) -> float | None:
        """By what multiple of the gradient the weights moved; None if it was not that simple."""
        for one, before, grad in zip(self._sentinels, self._before, self._gradients, strict=True):
            rate = _multiple(before, _sample(one), _sample(grad))
            if rate is not None:
                return rate
        return None


class ByHand:
    """Finds such trainings; `on_stray` is called where something else seems to be trained: at the
    call of another module, or after a backward pass that is of none of them."""

    def __init__(
        self,
        guard: Guard,
        notebook: Notebook,
        *,
        may_hook: Callable[[], bool],
        on_stray: Callable[[], None],
        on_step: tuple[OnStep, OnStep],
    ) -> None:
        self.guard = guard
        self._begin, self._end = on_step  # as the hooks for all optimizers
        self._notebook, self._may_hook, self._on_stray = notebook, may_hook, on_stray
        self._hands: list[Hand] = []
        self._lines: dict[int, Place] = {}
        self._known: set[int] = set()  # modules that are no news, by `id`
        self._asked = 0
        self._handle: Any = None
        self._calls = 0

    # -- finding -----------------------------------------------------------------------------

    def search(self, roots: Sequence[Tensor]) -> bool:
        """Whether this loss depends on parameters that no optimizer holds; they have one then.

        The graph is walked at the 1st, 2nd, 4th, 8th … time that this is asked in vain.
        """
        self._asked += 1
        if self._asked & (self._asked - 1):
            return False
        found = {id(leaf): leaf for leaf in leaf_tensors(roots)}
        taken = held(self._notebook.optimizers())
        if not found or not found.keys().isdisjoint(taken):
            return False
        parameters = (one for one in found.values() if isinstance(one, nn.Parameter))
        own: dict[int, Tensor] = {id(one): one for one in parameters}
        hand = Hand(self._whole(own or found, taken))
        if not self._hands:
            backward_passes.observe(self, everywhere=True)
        hand.before_backward()
        self._hands.append(hand)
        self._asked = 0
        return True

    def _whole(self, found: dict[int, Tensor], taken: dict[int, Tensor]) -> list[Tensor]:
        """All parameters of the modules: one batch may leave some of them out."""
        models, _ = owners(found, outermost(self._notebook.modules()))
        known = {id(one): one for model in models for one in model.parameters()}
        known = {key: one for key, one in known.items() if one.requires_grad and key not in taken}
        return list({**known, **found}.values())

    def superseded(self) -> list[Optimizer]:
        """The shadows whose parameters an optimizer of the program holds by now."""
        if not self._hands:
            return []
        shadows = [hand.shadow for hand in self._hands]
        others = [one for one in self._notebook.optimizers() if not _among(one, shadows)]
        taken = held(others)
        return [one for one in shadows if not taken.keys().isdisjoint(held([one]))]

    def drop(self, optimizers: Sequence[Optimizer]) -> None:
        """These are over."""
        gone = [one for one in self._hands if _among(one.shadow, optimizers)]
        self._hands = [one for one in self._hands if not _among(one.shadow, optimizers)]
        self._known.clear()
        for hand in gone:
            self._notebook.strike(hand.shadow)
            hand.put_pen_down()
        if not self._hands:
            self._leave()

    def line(self, optimizer: Optimizer) -> Place | None:
        """The line that moves the weights of a shadow."""
        return self._lines.get(id(optimizer))

    def close(self) -> None:
        """See the last update, and leave."""
        for hand in self._hands:
            self.guard.attempt("by hand", self._look, hand)
        self.abandon()

    def abandon(self) -> None:
        """Leave without another look."""
        self.drop([hand.shadow for hand in self._hands])

    def _leave(self) -> None:
        backward_passes.forget(self)
        self._disarm()

    # -- seeing updates ----------------------------------------------------------------------

    @aside("by hand")
    def before_backward(self, roots: Sequence[Tensor]) -> None:
        """Without modules this is where an update shows first."""
        self._disarm()
        for hand in self._hands:
            self._look(hand)
            hand.before_backward()

    @aside("by hand")
    def after_backward(self) -> None:
        """What follows may be an update."""
        ours = [hand for hand in self._hands if hand.after_backward()]
        for hand in ours:
            if hand.pen is not None:
                hand.pen.open()
        if not ours:
            self._on_stray()
        elif self._may_hook():
            self._calls = 0
            self._handle = register_module_forward_pre_hook(self._on_forward)

    @never_traced
    def _on_forward(self, module: nn.Module, args: Any) -> None:
        if not torch.compiler.is_compiling():
            self._called(module)

    @aside("by hand")
    def _called(self, module: nn.Module) -> None:
        self._calls += 1
        for hand in self._hands:
            self._look(hand)
        if id(module) not in self._known:
            self._known.add(id(module))
            if self._is_another(module):
                self._on_stray()
        if self._calls >= _CALLS or not any(hand.waits for hand in self._hands):
            self._disarm()

    def _is_another(self, module: nn.Module) -> bool:
        """Whether a module learns and is no part of what is known."""
        taken = held(hand.shadow for hand in self._hands)
        own = [one for one in module.parameters() if one.requires_grad]
        return bool(own) and not any(id(one) in taken for one in own)

    def _disarm(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def _look(self, hand: Hand) -> None:
        if not hand.waits or not hand.moved():
            return
        place = hand.put_pen_down()
        if place is not None:
            self._lines[id(hand.shadow)] = place
        self._begin(hand.shadow, (hand.shadow,), {})
        hand.step()
        self._end(hand.shadow, (hand.shadow,), {})


class Pen:
    """Finds the line that writes to some tensors, until it has been seen once."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._wanted = {one.data_ptr() for one in tensors if one.device.type != "meta"}
        self._patches = Patches()
        self._is_open = False
        self._place: Place | None = None

    def open(self) -> None:
        """Start to look on."""
        if not self._is_open:
            self._is_open = True
            for name in _WRITERS:
                self._patches.wrap(Tensor, name, self._writer)

    def close(self) -> Place | None:
        """Stop; the line, if it was seen."""
        self._patches.remove()
        return self._place

    def _writer(self, original: Function) -> Function:
        @never_traced
        def write(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if self._place is None and type(tensor) in (Tensor, nn.Parameter):
                self._note(tensor)
            return original(tensor, *args, **kwargs)

        return write

    def _note(self, tensor: Tensor) -> None:
        try:
            if tensor.data_ptr() in self._wanted:
                self._place = caller()
        except RuntimeError:  # a tensor without memory, inside a transformation of torch
            return


def _rank(tensor: Tensor) -> tuple[bool, int]:
    """Small ones first, but those whose gradient is zero last: they may stand still."""
    return not bool(_sample(tensor.grad).any()), tensor.numel()  # type: ignore[arg-type]


def _sample(tensor: Tensor) -> Tensor:
    flat = tensor.detach().reshape(-1)
    return flat if len(flat) <= _SAMPLE else flat[:_SAMPLE]


def _same(one: Tensor, two: Tensor) -> bool:
    if one.device != two.device or one.dtype != two.dtype:
        return False
    return torch.equal(one, two)


def _multiple(before: Tensor, after: Tensor, gradient: Tensor) -> float | None:
    """The rate of `after = before - rate * gradient`, to three digits; None if it is not so."""
    start, slope = before.double(), gradient.double()
    way = start - after.double()
    rounding = torch.finfo(before.dtype).eps * float(start.norm())
    square, length = float(slope @ slope), float(way.norm())
    if not square > 0 or not length > _ROUNDED * rounding:
        return None
    rate = float(way @ slope) / square
    rest = float((way - rate * slope).norm())
    return float(f"{rate:.3g}") if rate > 0 and rest <= _CLOSE * length + rounding else None


def _among(optimizer: Optimizer, others: Sequence[Optimizer]) -> bool:
    return any(optimizer is one for one in others)
