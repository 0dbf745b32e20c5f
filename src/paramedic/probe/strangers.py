"""Backward passes in threads in which a training has not run so far: it may have moved there."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from torch import Tensor

from paramedic.probe.graph import leaf_tensors
from paramedic.probe.layers import Layers


class Strangers:
    """Tells whether a pass of another thread is of this training after all.

    The graph is walked for that, at the 1st, 2nd, 4th … pass of a thread that is none.
    """

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._passes: dict[int, int] = {}  # by thread

    def is_ours(self, roots: Sequence[Tensor]) -> bool:
        """Whether a backward pass from `roots`, in this thread, reaches our parameters."""
        here = threading.get_ident()
        count = self._passes[here] = self._passes.get(here, 0) + 1
        if count & (count - 1):
            return False
        parameters = {id(one) for one in self._layers.parameters}
        ours = any(id(leaf) in parameters for leaf in leaf_tensors(roots))
        if ours:
            self._passes.clear()
        return ours
