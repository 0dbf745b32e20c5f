"""What is forgotten in the lines around `optimizer.step()`."""

from __future__ import annotations

from ....losses import FlattenedHuber, FlattenedMse
from ....optimizers import without
from ....recipe import Recipe, sick
from .. import bases

KEPT: list[Recipe] = [
    *sick("missing-zero-grad", "never-adam", bases.READERS_LEAKY, 200, zero_grad="never"),
    *sick("missing-zero-grad", "never-momentum", bases.GROUPED_DIGITS, 201, zero_grad="never"),
    *sick("missing-zero-grad", "never-adam", bases.DENSE_CLOCKS, 202, zero_grad="never"),
]

UNTRAINED: list[Recipe] = [
    *sick(
        "untrained-parameters",
        "state-not-in-optimizer",
        bases.CLOCKWORK_CRITICS,
        203,
        optimizer=without(bases.CLOCKWORK_CRITICS.optimizer, "enter", "again"),
    ),
    *sick(
        "untrained-parameters",
        "first-layers-not-in-optimizer",
        bases.PLACED_DIGITS,
        204,
        optimizer=without(bases.PLACED_DIGITS.optimizer, "0.", "3."),
    ),
    *sick(
        "untrained-parameters",
        "attention-not-in-optimizer",
        bases.READERS_LEAKY,
        205,
        optimizer=without(bases.READERS_LEAKY.optimizer, "enter", "position", "readers", "attend"),
    ),
]

_FOREST = bases.GROUPED_FOREST.but(model=bases.GROUPED_FOREST.remodel(dropout=0.1))

WRONG_MODE: list[Recipe] = [
    *sick("wrong-mode", "batch-norm-and-dropout-eval", _FOREST, 206, mode="eval"),
    *sick("wrong-mode", "forgotten-after-validation", bases.DENSE_TOWERS, 207, mode="forgotten"),
]

SHAPES: list[Recipe] = [
    *sick("loss-shape-mismatch", "mse", bases.REMEMBERING_SWISS, 208, loss=FlattenedMse()),
    *sick("loss-shape-mismatch", "huber", bases.NEAREST_SPREAD, 209, loss=FlattenedHuber()),
]

RECIPES = KEPT + UNTRAINED + WRONG_MODE + SHAPES
