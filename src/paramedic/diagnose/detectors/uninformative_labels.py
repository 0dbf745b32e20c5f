"""D003: the targets have nothing to do with the inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import Curve, curve, too_early
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.motion import motion, moves
from paramedic.diagnose.rows import is_narrow, is_straight, middle
from paramedic.types import Finding, Task, Window


@dataclass(frozen=True, slots=True)
class UninformativeLabels(Detector):
    """The loss settles at that of guessing, although everything moves as it should.

    ## What it looks for
    A loss that has come to rest at the entropy of the labels (or the variance of the targets),
    the loss of a model that knows only how often each target comes, while gradients flow and the
    weights move at a sound rate. Where a validation loss was handed in it has a say: below
    guessing it acquits the labels, and if it fell in every epoch it may be little below; above
    it what the training loss has gained was learned by heart. Language models all rest near
    guessing at first and must be nearer.

    ## Why is this bad?
    If the net could use the inputs at all it would do better than guessing. Shuffled labels, a
    wrong join of two tables, an input from which the answer was removed: there is nothing to
    learn, and no setting of the optimizer changes that.

    ## Example
    ```python
    labels = labels[torch.randperm(len(labels))]        # the inputs were not permuted
    ```

    ## Use instead
    ```python
    order = torch.randperm(len(labels))
    inputs, labels = inputs[order], labels[order]
    ```

    ## References
    - Zhang et al., "Understanding deep learning requires rethinking generalization", 2017.
    """

    code = "D003"
    slug = "uninformative-labels"
    patience = 1
    explains = frozenset({"loss-plateau", "slow-convergence", "no-more-gain", "overfitting"})

    near: float = threshold(
        0.05,
        "distance from the loss of guessing, as a share of it",
        source="tuning half of the zoo",
    )
    near_language: float = threshold(
        0.02,
        "the same for language models, which all rest near guessing at first",
        source="tuning half: healthy ones from 0.065 on; it has no sick ones",
    )
    near_by_heart: float = threshold(
        0.1, "the same, if the validation loss is not below guessing", source="tuning half: 0.09"
    )
    better: float = threshold(
        0.02, "validation loss below guessing from which labels tell something", source="as above"
    )
    errors: float = threshold(
        1.0, "standard errors of a level that it may be off beyond that", source="as above"
    )
    steps: int = threshold(
        1500, "steps after which a run that has not ended is judged", source="slow starters"
    )
    fewest: int = threshold(60, "steps before it is judged at all", source="as above")
    fast: float = threshold(0.1, "fall over the last quarter that is fast", source="as above")
    least_motion: float = threshold(
        1e-4, "update-to-weight ratio that is sound", source="a usual rule of thumb is 1e-3"
    )
    most_motion: float = threshold(0.1, "update-to-weight ratio that is sound", source="as above")

    def missing(self, window: Window) -> str | None:
        loss = window.derive(curve)
        if loss is None or loss.steps < self.fewest:
            return f"too few steps: {0 if loss is None else loss.steps} of {self.fewest}"
        if (early := too_early(window, self.steps)) is not None:
            return early
        if np.isnan(loss.chance):
            return "the loss of guessing is not known for this loss function"
        if window.of_chart(is_straight):
            return "a linear model may be too simple for the task"
        if window.of_chart(is_narrow):
            return "a net whose last layer reads a single number may be too simple for the task"
        return None if window.of_frames(motion) is not None else "weights were not measured"

    def examine(self, window: Window) -> Finding | None:
        loss, move = window.derive(curve), window.of_frames(motion)
        assert loss is not None
        assert move is not None
        away = middle(loss.levels[-4:]) / max(loss.chance, 1e-12) - 1
        # A rate may have come to its end by plan: it is enough that the weights did move.
        fastest = max(move.middle, float(window.of_frames(moves).max(initial=0.0)))
        sound = self.least_motion <= fastest and move.middle <= self.most_motion
        error = self.errors * loss.error / max(loss.chance, 1e-12)
        near = self._near(window, loss, error) + error
        if away > self.near + error or max(-away, loss.learned) > near:
            return None
        if not sound or move.blocked:
            return None
        # What is learned slowly may hold elsewhere, too; what falls fast is no guessing.
        if loss.validation_pace > 0 or loss.pace > self.fast or self._learns_on(loss):
            return None
        return self.finding(
            window,
            f"The loss has settled at {loss.last:.4g}, which is what guessing gives "
            f"({loss.chance:.4g}), although gradients flow and the weights move: the targets seem "
            "to have nothing to do with the inputs.",
            confidence=0.75,
            loss=loss.last,
            guessing=loss.chance,
            distance=abs(away),
            threshold=near,
            update_ratio=move.middle,
        )

    def _learns_on(self, loss: Curve) -> bool:
        """Whether the validation loss fell in every epoch and has come below guessing: however
        little that is, it is no chance."""
        return loss.validation_fall > self.better and loss.validation[-1] < loss.chance

    def _near(self, window: Window, loss: Curve, error: float) -> float:
        """How far below guessing is still near. The validation loss tells what was learned by
        heart."""
        if window.chart.task is Task.LANGUAGE_MODEL:
            return self.near_language
        seen = loss.validation
        if len(seen) < _EPOCHS:
            return self.near
        better = 1 - middle(seen[-3:]) / max(loss.chance, 1e-12)
        if better > self.better + error:
            return -1.0  # they do tell something
        return self.near if better > 0 else self.near_by_heart


_EPOCHS = 4  # validation losses that can be relied on
