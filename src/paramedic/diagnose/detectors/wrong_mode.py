"""O005: dropout or batch normalisation runs in evaluation mode during training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import measured, names
from paramedic.types import Chart, Finding, Window

_TELLING = ("Dropout", "BatchNorm", "InstanceNorm", "AlphaDropout")


@dataclass(frozen=True, slots=True)
class WrongMode(Detector):
    """Layers that behave differently in training are in evaluation mode while the net trains.

    ## What it looks for
    Dropout and batch normalisation whose module was not in training mode in the forward passes of
    training steps. Parts that are frozen by intent (no parameter of that part is trainable) may
    be in evaluation mode.

    ## Why is this bad?
    After `model.eval()` dropout does nothing and batch normalisation uses running statistics that
    are never updated. The net trains without its regularisation, on wrongly scaled activations.
    Mostly a validation function called `model.eval()` and nobody called `model.train()` again.

    ## Example
    ```python
    for epoch in range(10):
        train_one_epoch(model)      # from the second epoch on in evaluation mode
        model.eval()
        validate(model)
    ```

    ## Use instead
    ```python
    for epoch in range(10):
        model.train()
        train_one_epoch(model)
        model.eval()
        validate(model)
    ```

    ## References
    - PyTorch, `nn.Module.train` and `nn.Module.eval`.
    """

    code = "O005"
    slug = "wrong-mode"
    needs = frozenset({"act_training"})
    explains = frozenset(
        {"overfitting", "loss-plateau", "slow-convergence", "exploding-gradient", "loss-explosion",
         "learning-rate-too-low", "oscillating-loss", "gradient-instability"}
    )  # fmt: skip
    patience = 1

    frames: int = threshold(
        5, "frames in a row in evaluation mode", source="one look may fall into a validation"
    )

    def missing(self, window: Window) -> str | None:
        if not window.of_chart(_telling):
            return "the model has neither dropout nor batch normalisation"
        seen = len(measured(window, "act_training"))
        return None if seen >= self.frames else f"too few steps were looked at: {seen}"

    def examine(self, window: Window) -> Finding | None:
        modes = measured(window, "act_training", self.frames)
        rows = [
            row
            for row in window.of_chart(_telling)
            if (modes[:, row] == 0).all() and not _frozen_part(window.chart, row)
        ]
        if not rows:
            return None
        where = names(window, rows)
        return self.finding(
            window,
            f"{len(rows)} layers that behave differently in training ({where[0]} first) are in "
            "evaluation mode. Call `model.train()` before the training steps.",
            confidence=0.97,
            where=where,
            layers_in_evaluation_mode=len(rows),
            frames=int(np.shape(modes)[0]),
            threshold=self.frames,
        )


def _telling(chart: Chart) -> list[int]:
    return [
        place
        for place, layer in enumerate(chart.layers)
        if any(word in layer.kind for word in _TELLING)
    ]


def _frozen_part(chart: Chart, row: int) -> bool:
    """Whether the smallest part of the model around a layer that has weights is all frozen."""
    path = chart.layers[row].name
    while True:
        inside = [
            layer
            for layer in chart.layers
            if layer.parameters
            and (not path or layer.name == path or layer.name.startswith(path + "."))
        ]
        if inside:
            return not any(layer.trainable for layer in inside)
        if not path:
            return False
        path = path.rpartition(".")[0]
