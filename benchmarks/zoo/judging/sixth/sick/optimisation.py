"""What is forgotten in the lines around `optimizer.step()`."""

from __future__ import annotations

from torch import Tensor, nn

from ....data.gathered import STRAW_FEATURES
from ....losses import FlattenedHuber, FlattenedMse
from ....optimizers import without
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases
from ..networks.others import GatedPooling

KEPT: list[Recipe] = [
    *sick("missing-zero-grad", "never-adam", bases.HYPER_ARMS, 150, zero_grad="never"),
    *sick("missing-zero-grad", "never-momentum", bases.WAVED_CHECKERS, 151, zero_grad="never"),
]


class Numbed(GatedPooling):
    """Looks at the members without gradients, so that only what follows learns."""

    def forward(self, x: Tensor) -> Tensor:
        seen = self.each(x).detach()
        pooled = (self.shares(seen) * seen).sum(1)
        return self.output(self.head(self.dropout(pooled)))


UNTRAINED: list[Recipe] = [
    *sick(
        "untrained-parameters",
        "layers-not-in-optimizer",
        bases.LEAKY_LEAKY,
        152,
        optimizer=without(bases.LEAKY_LEAKY.optimizer, "enter", "layers"),
    ),
    *sick(
        "untrained-parameters",
        "members-without-gradient",
        bases.POOLED_NEEDLES,
        153,
        model=lambda: Numbed(STRAW_FEATURES, 1),
    ),
]


def _wrong_mode(plan: Plan, seed: int, form: str, mode: str) -> list[Recipe]:
    onset = plan.steps // plan.epochs if mode == "forgotten" else 0
    return sick("wrong-mode", f"{form}-{mode}", plan, seed, (), onset, mode=mode)


_DEEP_FOREST = bases.FACTORED_FOREST.but(
    model=bases.FACTORED_FOREST.remodel(depth=5, dropout=0.1), epochs=6
)

WRONG_MODE: list[Recipe] = [
    *_wrong_mode(_DEEP_FOREST, 154, "batch-norm-and-dropout", "eval"),
    *_wrong_mode(bases.ASYMMETRIC_MNIST, 155, "batch-norm", "forgotten"),
]


def _flattened(plan: Plan, seed: int, form: str, loss: nn.Module) -> list[Recipe]:
    """[N] against [N, 1], which torch spreads to [N, N]."""
    return sick("loss-shape-mismatch", form, plan, seed, loss=loss)


SHAPES: list[Recipe] = [
    *_flattened(bases.WAVED_SWISS, 156, "mse", FlattenedMse()),
    *_flattened(bases.LEAKY_LEAKY.but(loss=nn.HuberLoss()), 157, "huber", FlattenedHuber()),
]

RECIPES = KEPT + UNTRAINED + WRONG_MODE + SHAPES
