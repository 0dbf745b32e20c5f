"""What is forgotten in the lines around `optimizer.step()`."""

from __future__ import annotations

from torch import Tensor, nn

from ....faults import detached
from ....losses import FlattenedHuber, FlattenedL1, FlattenedMse
from ....optimizers import without
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases
from ..networks.sequences import QuasiRnn

KEPT: list[Recipe] = [
    *sick("missing-zero-grad", "never-adam", bases.RELATION_SPREAD, 110, zero_grad="never"),
    *sick("missing-zero-grad", "never-momentum", bases.LOOPED_DIGITS, 111, zero_grad="never"),
    *sick(
        "missing-zero-grad", "once-per-epoch-adam", bases.SPLINES_CIRCUIT, 112, zero_grad="epoch"
    ),
]


class Numbed(QuasiRnn):
    """Keeps the states of the recurrences as bare numbers, through which nothing flows back."""

    def forward(self, x: Tensor) -> Tensor:
        x = self.enter(x)
        for layer in self.layers:
            x = layer(self.dropout(x)).data
        return self.output(self.head(x[:, -1]))


UNTRAINED: list[Recipe] = [
    *sick(
        "untrained-parameters",
        "states-without-gradient",
        bases.QUASI_DEMAND,
        113,
        model=lambda: Numbed(1, 1, width=32),
    ),
    *sick(
        "untrained-parameters",
        "blocks-not-in-optimizer",
        bases.FIELDS_GRADES,
        114,
        optimizer=without(bases.FIELDS_GRADES.optimizer, "blocks.", "scales", "names"),
    ),
    *sick(
        "untrained-parameters",
        "detached-body",
        bases.COORDINATES_CLOCKS.but(epochs=6),
        115,
        model=detached(bases.COORDINATES_CLOCKS.model),
    ),
]


def _wrong_mode(plan: Plan, seed: int, form: str, mode: str) -> list[Recipe]:
    onset = plan.steps // plan.epochs if mode == "forgotten" else 0
    return sick("wrong-mode", f"{form}-{mode}", plan, seed, (), onset, mode=mode)


WRONG_MODE: list[Recipe] = [
    *_wrong_mode(bases.SHUFFLED_SHAPES.but(epochs=6), 116, "batch-norm", "eval"),
    *_wrong_mode(bases.SHUFFLED_MNIST.but(epochs=6), 117, "batch-norm", "forgotten"),
]


def _flattened(plan: Plan, seed: int, form: str, loss: nn.Module) -> list[Recipe]:
    """[N] against [N, 1], which torch spreads to [N, N]."""
    return sick("loss-shape-mismatch", form, plan, seed, loss=loss)


SHAPES: list[Recipe] = [
    *_flattened(bases.RELATION_SPREAD, 119, "mse", FlattenedMse()),
    *_flattened(bases.LOOPED_HOUSING.but(loss=nn.HuberLoss()), 120, "huber", FlattenedHuber()),
    *_flattened(bases.SPLINES_CIRCUIT.but(loss=nn.L1Loss()), 121, "l1", FlattenedL1()),
]

RECIPES = KEPT + UNTRAINED + WRONG_MODE + SHAPES
