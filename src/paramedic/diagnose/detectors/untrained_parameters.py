"""O004: parameters that should learn and do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.motion import motion
from paramedic.diagnose.rows import learners, measured, middle, names, scalars
from paramedic.types import Chart, Finding, Kind, Severity, Window

_REASONS = {
    "optimizer": "was not given to the optimizer",
    "gradient": "never got a gradient: the loss does not depend on it, or it was detached",
    "movement": "gets a gradient but does not move: its learning rate is zero or too small for "
    "its precision",
}


@dataclass(frozen=True, slots=True)
class UntrainedParameters(Detector):
    """Some layers are trainable and still never change.

    ## What it looks for
    Layers with `requires_grad=True` that are (1) in no parameter group of the optimizer, (2) never
    given a gradient, or (3) given a gradient but not moved, while other layers move. Layers that
    were frozen with `requires_grad=False` are meant to stay and are no finding.

    ## Why is this bad?
    The layer stays as it was initialised: random. The rest of the net learns around it, often
    well enough that nobody notices.

    ## Example
    ```python
    optimizer = torch.optim.Adam(model.head.parameters())   # the body is forgotten
    ```

    ## Use instead
    ```python
    optimizer = torch.optim.Adam(model.parameters())
    ```
    Or say that it is meant: `model.body.requires_grad_(False)`.

    ## References
    - Public issue trackers: "nothing is learning".
    """

    code = "O004"
    slug = "untrained-parameters"
    needs = frozenset({"grad_norm", "update_ratio"})
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "vanishing-gradient", "learning-rate-too-low",
         "uninformative-labels", "no-more-gain", "poor-initialization", "exploding-gradient",
         "gradient-instability"}
    )  # fmt: skip
    patience = 1

    frames: int = threshold(
        6, "full frames in a row without gradient or movement", source="a layer may rest for a step"
    )

    driven: float = threshold(
        1e-2,
        "gradient of a layer that should move, against the median of those that do",
        source="tuning half of the zoo",
    )

    most: float = threshold(
        0.5, "share of the parameters without which nothing can be learned", source="by reason"
    )
    ended: float = threshold(
        1e-2, "of the first rate, below which a schedule has ended and rest is meant", source="zoo"
    )

    def missing(self, window: Window) -> str | None:
        seen = len(measured(window, "update_ratio"))
        return None if seen >= self.frames else f"too few steps were looked at: {seen}"

    def examine(self, window: Window) -> Finding | None:
        for reason, rows in (
            ("optimizer", window.of_chart(_forgotten)),
            ("gradient", self._without_gradient(window)),
            ("movement", self._without_movement(window)),
        ):
            if rows:
                where = names(window, rows)
                several = f" and {len(rows) - 1} more layers" if len(rows) > 1 else ""
                structural = reason != "movement"
                return self.finding(
                    window,
                    f"`{where[0]}`{several} {_REASONS[reason]}.",
                    severity=self._severity(window, rows) if structural else Severity.WARNING,
                    explains=self.explains if structural else self.explains - _VIOLENT,
                    by_construction=structural,
                    confidence=0.97,
                    kind=Kind.FAULT if self._is_certain(window, reason, rows) else Kind.SUSPICION,
                    where=where,
                    reason=reason,
                    layers=len(rows),
                    parameters=sum(window.chart.layers[row].parameters for row in rows),
                    frames=self.frames,
                )
        return None

    def _is_certain(self, window: Window, reason: str, rows: list[int]) -> bool:
        """Whether the parameters take part, so that leaving them untrained cannot be meant.

        A layer that no optimizer holds must receive gradients: a target network does not. One
        without gradients must be executed whenever it was looked at: a sparse expert is not. And
        it must come before all that is trained, as what is cut off by `.detach()` does: a branch
        whose output nobody asks for, such as a pooler or a second head, stands behind some.
        """
        if reason == "movement" or (reason == "gradient" and not self._is_cut_off(window, rows)):
            return False
        name = "grad_norm" if reason == "optimizer" else "act_var"
        seen = measured(window, name, self.frames)[:, rows]
        return len(seen) >= self.frames and bool((~np.isnan(seen)).all(axis=0).any())

    def _is_cut_off(self, window: Window, rows: list[int]) -> bool:
        """Whether one of these layers is executed before every layer that gets a gradient."""
        reached = ~np.isnan(measured(window, "grad_norm", self.frames)).all(axis=0)
        layers = window.chart.layers
        trained = [layers[row].order for row in np.flatnonzero(reached) if layers[row].parameters]
        return bool(trained) and min(layers[row].order for row in rows) < min(trained)

    def _severity(self, window: Window, rows: list[int]) -> Severity:
        layers = window.chart.layers
        lost = sum(layers[row].parameters for row in rows)
        whole = sum(layer.parameters for layer in layers if layer.trainable)
        return Severity.CRITICAL if lost > self.most * whole else Severity.WARNING

    def _without_gradient(self, window: Window) -> list[int]:
        norms = measured(window, "grad_norm", self.frames)
        # Of several optimizers one may rest at all the steps that were looked at.
        if len(norms) < self.frames or len(window.chart.optimizers) > 1:
            return []
        absent = set(np.flatnonzero(np.isnan(np.fmax.reduce(norms, axis=0))).tolist())
        return [place for place in window.of_chart(_meant) if place in absent]

    def _without_movement(self, window: Window) -> list[int]:
        rows = learners(window)
        ratios = measured(window, "update_ratio", self.frames)[:, rows]
        still = np.all(ratios == 0, axis=0)
        if not still.any() or len(window.chart.optimizers) > 1:
            return []
        move = window.of_frames(motion)
        if move is None or still.all() or self._has_ended(window):  # that is the rate, not a layer
            return []
        # Of embeddings the gradient is not known: a batch uses few of their rows.
        moving = move.gradients[~still]
        usual = middle(moving[np.isfinite(moving)])
        # A gradient that has vanished moves nothing either; that has another name.
        driven = move.gradients > self.driven * usual
        return [int(place) for place in rows[np.flatnonzero(still & driven)]]

    def _has_ended(self, window: Window) -> bool:
        rates = scalars(window, "lr/0")
        optimizers = window.chart.optimizers
        first = float(optimizers[0].get("lr", 0.0) or 0.0) if optimizers else 0.0
        highest = max(first, float(np.fmax.reduce(rates, initial=0.0)))
        return bool(len(rates) and rates[-1] < self.ended * highest)


# A layer that stands still because numbers overflow is not what makes them overflow.
_VIOLENT = frozenset({"poor-initialization", "exploding-gradient", "gradient-instability"})


def _meant(chart: Chart) -> list[int]:
    """The layers that the optimizer is meant to train."""
    return [
        place
        for place, layer in enumerate(chart.layers)
        if layer.parameters and layer.trainable and layer.in_optimizer
    ]


def _forgotten(chart: Chart) -> list[int]:
    return [
        place
        for place, layer in enumerate(chart.layers)
        if layer.parameters and layer.trainable and not layer.in_optimizer and layer.executed
    ]
