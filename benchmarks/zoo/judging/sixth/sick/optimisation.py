"""What is forgotten in the lines around `optimizer.step()`."""

from __future__ import annotations

from ....losses import FlattenedMse
from ....optimizers import without
from ....recipe import Recipe, sick
from .. import bases

KEPT: list[Recipe] = [
    *sick("missing-zero-grad", "never-adam", bases.HYPER_ARMS, 150, zero_grad="never"),
    *sick("missing-zero-grad", "never-momentum", bases.WAVED_CHECKERS, 151, zero_grad="never"),
]

UNTRAINED: list[Recipe] = [
    *sick(
        "untrained-parameters",
        "layers-not-in-optimizer",
        bases.LEAKY_LEAKY,
        152,
        optimizer=without(bases.LEAKY_LEAKY.optimizer, "enter", "layers"),
    ),
]

_DEEP_FOREST = bases.FACTORED_FOREST.but(
    model=bases.FACTORED_FOREST.remodel(depth=5, dropout=0.1), epochs=6
)

WRONG_MODE: list[Recipe] = [
    *sick("wrong-mode", "batch-norm-and-dropout-eval", _DEEP_FOREST, 154, mode="eval"),
]

SHAPES: list[Recipe] = [
    *sick("loss-shape-mismatch", "mse", bases.WAVED_SWISS, 156, loss=FlattenedMse()),
]

RECIPES = KEPT + UNTRAINED + WRONG_MODE + SHAPES
