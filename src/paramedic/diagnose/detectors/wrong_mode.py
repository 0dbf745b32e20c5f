"""O005: dropout or batch normalisation runs in evaluation mode during training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.modes import depends_on_mode, last_change
from paramedic.diagnose.rows import measured, names
from paramedic.types import Chart, Event, Finding, Kind, Window


@dataclass(frozen=True, slots=True)
class WrongMode(Detector):
    """Layers that behave differently in training are in evaluation mode while the net trains.

    ## What it looks for
    Dropout and batch normalisation that are in evaluation mode while the optimizer steps. The mode
    is read at every step. Parts that are frozen by intent (no parameter of that part is trained)
    may be in evaluation mode.

    ## Why is this bad?
    After `model.eval()` dropout does nothing and batch normalisation uses running statistics that
    are never updated. The net trains without its regularisation, on wrongly scaled activations.
    Mostly a validation function called `model.eval()`, and `model.train()` was not called again.

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
    kind = Kind.FAULT
    # Modes are on the record, of compiled models too; only older traces need `act_training`.
    needs = frozenset()
    explains = frozenset(
        {"overfitting", "loss-plateau", "slow-convergence", "exploding-gradient", "loss-explosion",
         "learning-rate-too-low", "oscillating-loss", "gradient-instability"}
    )  # fmt: skip
    patience = 1

    frames: int = threshold(
        5, "steps in a row in evaluation mode", source="one look may fall into a validation"
    )

    def missing(self, window: Window) -> str | None:
        if not window.of_chart(_telling):
            return "the model has neither dropout nor batch normalisation"
        if last_change(window) is not None:
            return None
        seen = len(measured(window, "act_training"))
        return None if seen >= self.frames else f"too few steps were looked at: {seen}"

    def examine(self, window: Window) -> Finding | None:
        change = last_change(window)
        evaluating = self._in_frames(window) if change is None else _in_record(window, change)
        rows = [row for row in evaluating if not _frozen_part(window.chart, row)]
        if not rows:
            return None
        where = names(window, rows)
        since = None if change is None else int(change.data["since"])
        began: dict[str, Any] = {} if since is None else {"first_step": since}
        return self.finding(
            window,
            f"{len(rows)} layers that behave differently in training ({where[0]} first) are in "
            f"evaluation mode{'' if since is None else f' since step {since}'}. "
            "Call `model.train()` before the training steps.",
            confidence=0.97,
            kind=Kind.FAULT if self._is_certain(window, rows) else Kind.SUSPICION,
            where=where,
            layers_in_evaluation_mode=len(rows),
            frames=self.frames if since is None else window.last_step - since + 1,
            threshold=self.frames,
            **began,
        )

    def _is_certain(self, window: Window, rows: list[int]) -> bool:
        """Whether no layer is in training mode: to leave single ones out, as normalisation with
        fixed statistics, is common practice."""
        return len(rows) == len(window.of_chart(_telling))

    def _in_frames(self, window: Window) -> list[int]:
        """By the last steps that were looked at: all that older traces have."""
        modes = measured(window, "act_training", self.frames)
        return [row for row in window.of_chart(_telling) if (modes[:, row] == 0).all()]


def _in_record(window: Window, change: Event) -> list[int]:
    evaluating = set(change.data.get("evaluating", ()))
    layers = window.chart.layers
    return [row for row in window.of_chart(_telling) if layers[row].name in evaluating]


def _telling(chart: Chart) -> list[int]:
    return [place for place, layer in enumerate(chart.layers) if depends_on_mode(layer.kind)]


def _frozen_part(chart: Chart, row: int) -> bool:
    """Whether the smallest part of the model around a layer that has weights is not trained."""
    path = chart.layers[row].name
    while True:
        inside = [
            layer
            for layer in chart.layers
            if layer.parameters
            and (not path or layer.name == path or layer.name.startswith(path + "."))
        ]
        if inside:
            return not any(layer.trainable and layer.in_optimizer for layer in inside)
        if not path:
            return False
        path = path.rpartition(".")[0]
