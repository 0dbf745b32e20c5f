"""What is forgotten in the lines around `optimizer.step()`."""

from __future__ import annotations

from torch import nn, optim

from ....faults import detached
from ....losses import FlattenedHuber, FlattenedL1, FlattenedMse
from ....optimizers import with_zero_rate, without
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases


def _kept(plan: Plan, seed: int, form: str, when: str) -> list[Recipe]:
    return sick("missing-zero-grad", form, plan, seed, zero_grad=when)


KEPT: list[Recipe] = [
    *_kept(bases.MAXOUT_CIRCUIT, 40, "never-adamw", "never"),
    *_kept(bases.HIGHWAY_SWISS, 41, "never-adam", "never"),
    *_kept(bases.LENET_DIGITS, 42, "once-per-epoch-momentum", "epoch"),
    *_kept(bases.TOWERS_PAIRS, 43, "never-adam", "never"),
]

UNTRAINED: list[Recipe] = [
    *sick(
        "untrained-parameters",
        "body-detached",
        bases.INCEPTION_STRIPES,
        40,
        model=detached(bases.INCEPTION_STRIPES.model),
    ),
    *sick(
        "untrained-parameters",
        "tower-not-in-optimizer",
        bases.TOWERS_PAIRS,
        41,
        optimizer=without(bases.TOWERS_PAIRS.optimizer, "tower."),
    ),
    *sick(
        "untrained-parameters",
        "body-rate-zero",
        bases.GRU_ADDING,
        42,
        optimizer=with_zero_rate(optim.Adam, 5e-3, "body."),
    ),
]


def _wrong_mode(plan: Plan, seed: int, form: str, mode: str) -> list[Recipe]:
    onset = plan.steps // plan.epochs if mode == "forgotten" else 0
    return sick("wrong-mode", f"{form}-{mode}", plan, seed, (), onset, mode=mode)


_NORM_HASTIE = bases.MAXOUT_HASTIE.but(model=bases.MAXOUT_HASTIE.remodel(norm=True))
_DROPPED_SHELLS = bases.HIGHWAY_SHELLS.but(model=bases.HIGHWAY_SHELLS.remodel(dropout=0.2))

WRONG_MODE: list[Recipe] = [
    *_wrong_mode(_NORM_HASTIE, 40, "batch-norm", "eval"),
    *_wrong_mode(bases.INCEPTION_STRIPES, 41, "batch-norm", "forgotten"),
    *_wrong_mode(_DROPPED_SHELLS, 42, "dropout", "forgotten"),
]


def _flattened(plan: Plan, seed: int, form: str, loss: nn.Module) -> list[Recipe]:
    """[N] against [N, 1], which torch spreads to [N, N]."""
    return sick("loss-shape-mismatch", form, plan, seed, loss=loss)


SHAPES: list[Recipe] = [
    *_flattened(bases.HIGHWAY_SWISS, 40, "mse", FlattenedMse()),
    *_flattened(bases.MAXOUT_CIRCUIT.but(loss=nn.L1Loss()), 41, "l1", FlattenedL1()),
    *_flattened(bases.GRU_ADDING.but(loss=nn.HuberLoss()), 42, "huber", FlattenedHuber()),
]

RECIPES = KEPT + UNTRAINED + WRONG_MODE + SHAPES
