"""What is forgotten in the lines around `optimizer.step()`."""

from __future__ import annotations

from torch import Tensor, nn

from ....losses import FlattenedHuber, FlattenedL1, FlattenedMse
from ....optimizers import without
from ....plan import Plan
from ....recipe import Recipe, sick
from ... import bases as first
from ...second import bases as second
from .. import bases
from ..networks.sequences import Asking


def _kept(plan: Plan, seed: int, form: str, when: str) -> list[Recipe]:
    return sick("missing-zero-grad", form, plan, seed, zero_grad=when)


KEPT: list[Recipe] = [
    *_kept(bases.CROSSED_FOREST, 60, "never-adam", "never"),
    *_kept(bases.SQUEEZED_MNIST, 61, "once-per-epoch-momentum", "epoch"),
    *_kept(bases.GRAPH_MOLECULES, 62, "never-adam", "never"),
    *_kept(second.GRU_ADDING, 63, "once-per-epoch-adam", "epoch"),
]


class DeafHead(Asking):
    """What was heard is detached before the body and the head."""

    def forward(self, x: Tensor) -> Tensor:
        seen = self.enter(x) + self.place[: x.shape[1]]
        asked = self.questions.expand(len(x), -1, -1)
        heard, _ = self.attention(asked, seen, seen, need_weights=False)
        return self.output(self.head(self.body(self.norm(heard.detach())).flatten(1)))


UNTRAINED: list[Recipe] = [
    *sick(
        "untrained-parameters",
        "attention-detached",
        bases.ASKING_DIGITS,
        60,
        model=lambda: DeafHead(8, 10),
    ),
    *sick(
        "untrained-parameters",
        "rounds-not-in-optimizer",
        bases.GRAPH_MOLECULES,
        61,
        optimizer=without(bases.GRAPH_MOLECULES.optimizer, "ask.", "enter."),
    ),
]


def _wrong_mode(plan: Plan, seed: int, form: str, mode: str) -> list[Recipe]:
    onset = plan.steps // plan.epochs if mode == "forgotten" else 0
    return sick("wrong-mode", f"{form}-{mode}", plan, seed, (), onset, mode=mode)


_NORM_FOREST = bases.CROSSED_FOREST.but(model=bases.CROSSED_FOREST.remodel(norm=True))
_DROPPED_GRADES = bases.GATED_GRADES.but(model=bases.GATED_GRADES.remodel(dropout=0.3))

WRONG_MODE: list[Recipe] = [
    *_wrong_mode(_NORM_FOREST, 60, "batch-norm", "eval"),
    *_wrong_mode(bases.SQUEEZED_MNIST, 61, "batch-norm", "forgotten"),
    *_wrong_mode(_DROPPED_GRADES, 62, "dropout", "eval"),
]


def _flattened(plan: Plan, seed: int, form: str, loss: nn.Module) -> list[Recipe]:
    """[N] against [N, 1], which torch spreads to [N, N]."""
    return sick("loss-shape-mismatch", form, plan, seed, loss=loss)


SHAPES: list[Recipe] = [
    *_flattened(bases.GATED_HOUSING, 60, "mse", FlattenedMse()),
    *_flattened(bases.GRAPH_MOLECULES, 61, "mse", FlattenedMse()),
    *_flattened(bases.CROSSED_SALES.but(loss=nn.L1Loss()), 62, "l1", FlattenedL1()),
    *_flattened(first.ELMAN_SINES.but(loss=nn.HuberLoss()), 63, "huber", FlattenedHuber()),
]

RECIPES = KEPT + UNTRAINED + WRONG_MODE + SHAPES
