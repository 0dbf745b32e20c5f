"""When and how the origin of a non-finite value is looked for, and how often in one run."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from paramedic.probe.call import Call
from paramedic.probe.cycle import Cycle
from paramedic.probe.guard import Guard
from paramedic.probe.layers import Layers
from paramedic.probe.meter import any_nonfinite
from paramedic.probe.origin import Origin, OriginFinder
from paramedic.probe.rerun import Rerun

_MOST_ORIGINS = 20  # traced in one run


class Tracer:
    """Traces as `on_nan` says: `off`, `trace`, or `replay`, which may run a batch again."""

    def __init__(self, layers: Layers, on_nan: str, guard: Guard) -> None:
        self._guard = guard
        self._finder = OriginFinder(layers)
        self._rerun = Rerun(layers.roots, guard) if on_nan == "replay" else None
        self._left = 0 if on_nan == "off" else _MOST_ORIGINS
        self.active = self._left > 0  # whether a bad value would be traced now

    def open(self) -> None:
        """Start to remember batches, if they may be run again."""
        if self._rerun is not None:
            self._rerun.open()

    def close(self) -> None:
        """Stop."""
        if self._rerun is not None:
            self._rerun.close()

    def let_go(self) -> None:
        """The backward pass is over: the batch is the user's to let go of."""
        if self._rerun is not None:
            self._rerun.forget()

    def learn(self, roots: Sequence[Tensor], calls: Sequence[Call]) -> None:
        """Remember which module runs which operation."""
        self._guard.attempt("origin", self._finder.learn, roots, calls)

    def of_loss(self, roots: Sequence[Tensor], calls: Sequence[Call]) -> Origin | None:
        """The origin of a non-finite loss; traced while its graph is whole."""
        return self._guard.attempt("origin", self._of_loss, roots, calls)

    def _of_loss(self, roots: Sequence[Tensor], calls: Sequence[Call]) -> Origin:
        if self._rerun is None or calls:
            return self._finder.of_loss(roots, calls)
        return self._finder.of_loss(roots, self._rerun.calls(), how="replay")

    def of_gradients(self, cycle: Cycle, sentinel: Tensor | None) -> None:
        """Look for a non-finite gradient: where all were read, else in that of one parameter."""
        if cycle.gradients is not None:
            finite = cycle.gradients.finite
        else:
            grad = None if sentinel is None else sentinel.grad
            finite = grad is None or not any_nonfinite(grad)
        if not finite:
            cycle.origin = self._guard.attempt("origin", self._finder.of_gradient)

    def settle(self, cycle: Cycle) -> None:
        """A turn is over: origins are traced once, not again at each step of a lost run."""
        self._left -= self._left > 0 and cycle.origin is not None
        self.active = cycle.loss_finite and cycle.origin is None and self._left > 0
