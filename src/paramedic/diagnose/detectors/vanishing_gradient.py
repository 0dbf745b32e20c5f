"""G001: gradients that do not reach the early layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.jumps import (
    Jump,
    jump,
    jumped_layers,
    loss_ratio,
    new_jumps,
    told_jumps,
)
from paramedic.diagnose.motion import motion
from paramedic.diagnose.rows import dead_shares, learners, measured, middles, names
from paramedic.types import Event, Finding, Severity, Window


@dataclass(frozen=True, slots=True)
class VanishingGradient(Detector):
    """The gradient shrinks from layer to layer until the first layers get next to nothing.

    ## What it looks for
    Gradients per weight in the first half of the layers that are a tiny fraction of those in the
    last ones, while the net does not learn. Small gradients alone are no sickness: near the end
    of a good run all gradients are small, and an adaptive optimizer makes up for moderate
    differences. A gradient that is, from one step to the next, next to nothing beside all before
    it is told, too, of the whole net or of some layers, for as long as it stays so, unless the
    loss of that batch is next to nothing as well.

    ## Why is this bad?
    The early layers stay as they were initialised, and the late ones see inputs scrambled by
    random weights. Sigmoid and tanh multiply the gradient by less than one in each layer; in a
    deep net these factors make a product.

    ## Example
    ```python
    layers = [nn.Linear(32, 32), nn.Sigmoid()] * 20
    ```

    ## Use instead
    ```python
    layers = [nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU()] * 20
    ```
    Or residual connections, or a recurrent cell with gates.

    ## References
    - AUTOTRAINER, problem VG: first to last layer below 1e-3, and below 1e-4 itself.
    - Hochreiter, "The vanishing gradient problem during learning recurrent neural nets", 1998.
    """

    code = "G001"
    slug = "vanishing-gradient"
    needs = frozenset({"grad_norm"})
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "learning-rate-too-low", "untrained-parameters",
         "uninformative-labels", "no-more-gain", "dying-relu"}
    )  # fmt: skip
    excludes = frozenset({"exploding-gradient"})

    ratio: float = threshold(
        1e-3, "gradient per weight of an early layer against the last ones", source="AUTOTRAINER"
    )
    learned: float = threshold(
        0.1, "share of the loss that is gone, above which the net learns", source="tuning half"
    )
    steps: int = threshold(15, "steps before it is judged", source="the first steps may be slow")

    steps_adaptive: int = threshold(
        60, "the same, if an adaptive optimizer moves these layers", source="tuning half"
    )
    moving: float = threshold(
        1e-4, "update against the weights that is such a move", source="usual ones are 1e-3"
    )
    sudden: float = threshold(
        1e-3, "one gradient against the smallest before it", source="tuning half of the zoo"
    )

    fall: float = threshold(
        1e-4, "one gradient against the level of the steps before", source="tuning half; 2e-3 was"
    )
    scatter: float = threshold(
        6.0, "deviations of a layer from the others that it must have", source="as above"
    )
    solved: float = threshold(
        0.1, "loss against the usual one, below which there is nothing to learn", source="as above"
    )

    def missing(self, window: Window) -> str | None:
        if window.derive(told_jumps):
            return None
        return None if window.of_frames(jump) is not None else self._unknown_depth(window)

    def _unknown_depth(self, window: Window) -> str | None:
        """Why layers cannot be compared."""
        move, loss = window.of_frames(motion), window.derive(curve)
        if move is None or loss is None or loss.steps < self.steps:
            return "too few steps were seen"
        return None if np.isfinite(move.depth_ratio) else "the model has fewer than three layers"

    def examine(self, window: Window) -> Finding | None:
        fall = next(
            filter(None, (self._fall(window, one) for one in window.derive(told_jumps))), None
        )
        if fall is not None:
            return fall
        moment = window.of_frames(jump)
        if moment is not None and moment.beyond < self.sudden * min(moment.loss, 1.0):
            return self._moment(window, moment)
        loss = window.derive(curve)
        if loss is not None and (loss.learned > self.learned or loss.falling):
            return None
        return None if self._unknown_depth(window) else self._along_the_depth(window)

    def _fall(self, window: Window, event: Event) -> Finding | None:
        """What the probe saw at one step, if it was lately or has not come back since."""
        data, layers = event.data, jumped_layers(event, "down", self.fall, self.scatter)
        solved = loss_ratio(window, event.step) < self.solved
        if not layers and (data["ratio"] > self.fall or solved):
            return None
        new, lasts = event in window.derive(new_jumps), self._is_still_down(window, event, layers)
        if not new and not lasts:
            return None
        norm, usual = next(iter(layers.values()), [data["norm"], data["usual"]])
        whose = f"of {', '.join(f'`{name}`' for name in list(layers)[:3])} " if layers else ""
        since: dict[str, Any] = {"moment" if new else "first_step": event.step}
        return self.finding(
            window,
            f"The gradient {whose}at step {event.step} (norm {norm:.2g}) is {norm / usual:.1e} of "
            f"the usual one: {'since then' if lasts else 'from one step to the next'} hardly "
            "anything is left of it.",
            confidence=0.9,
            where=tuple(layers),
            explains=frozenset() if new else None,
            norm=norm,
            usual=usual,
            share_of_usual=norm / usual,
            threshold=self.fall,
            **since,
        )

    def _is_still_down(self, window: Window, event: Event, layers: dict[str, list[float]]) -> bool:
        """Whether the gradient is as small in the newest frames."""
        if not layers:
            norms = window.scalar("grad_norm")[window.steps >= event.step][-4:]
            return bool(len(norms) and (norms < self.sudden * event.data["usual"]).all())
        places = [place for place, name in enumerate(window.names) if name in layers]
        rows = window.layer("grad_norm")[window.steps >= event.step][-4:, places]
        usual = [layers[window.names[place]][1] for place in places]
        return bool(rows.size and (rows < self.sudden * np.array(usual)).all())

    def _moment(self, window: Window, moment: Jump) -> Finding:
        return self.finding(
            window,
            f"The gradient of step {moment.step} (norm {moment.norm:.2g}) is "
            f"{moment.norm / moment.usual:.1e} of the usual one: from one step to the next hardly "
            "anything is left of it.",
            confidence=0.9,
            explains=frozenset(),
            moment=moment.step,
            norm=moment.norm,
            usual=moment.usual,
            against_smallest=moment.beyond,
            threshold=self.sudden,
        )

    def _along_the_depth(self, window: Window) -> Finding | None:
        move, loss = window.of_frames(motion), window.derive(curve)
        assert move is not None
        assert loss is not None
        ratio = move.depth_ratio
        if ratio > self.ratio or _dead(window):  # nothing gets past dead units: see there
            return None
        rows = learners(window)
        late = move.gradients[np.isfinite(move.gradients)][-2:].max()
        starved = rows[move.gradients < self.ratio * late]
        if loss.steps < self.steps_adaptive and self._moves_all_the_same(window, starved):
            return None
        return self.finding(
            window,
            f"The gradient of `{window.names[rows[int(np.nanargmin(move.gradients))]]}` is "
            f"{ratio:.1e} of that of the last layers, per weight, and the loss does not fall "
            f"({loss.last:.4g}): the early layers do not learn.",
            severity=Severity.CRITICAL,
            confidence=0.9,
            where=names(window, starved),
            ratio=ratio,
            threshold=self.ratio,
            learned=loss.learned,
        )

    def _moves_all_the_same(self, window: Window, starved: NDArray[np.intp]) -> bool:
        """Whether an adaptive optimizer makes up for small gradients, at least in size."""
        ratios = middles(measured(window, "update_ratio", 16)[:, starved])
        return bool(len(ratios) and np.nanmin(ratios, initial=np.inf) > self.moving)


def _dead(window: Window) -> bool:
    return bool(np.fmax.reduce(window.of_frames(dead_shares), initial=0.0) >= _DEAD)


_DEAD = 0.9  # share of the units of a layer
