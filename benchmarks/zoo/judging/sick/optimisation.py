"""What is forgotten in the lines around `optimizer.step()`."""

from __future__ import annotations

from torch import nn, optim

from ...faults import detached
from ...losses import FlattenedHuber, FlattenedL1, FlattenedMse
from ...optimizers import sgd, with_zero_rate, without
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases


def _kept(plan: Plan, seeds: int | tuple[int, ...], form: str, when: str) -> list[Recipe]:
    return sick("missing-zero-grad", form, plan, seeds, zero_grad=when)


KEPT: list[Recipe] = [
    *_kept(bases.FUNNEL_FOREST.but(optimizer=sgd(0.03, 0.9)), 20, "never-momentum", "never"),
    *_kept(bases.VGG_SHAPES, 22, "never-adam", "never"),
    *_kept(bases.GRU_LEAKY.but(optimizer=sgd(0.2)), 20, "once-per-epoch-sgd", "epoch"),
    *_kept(bases.GPT_AUSTEN, 21, "never-adamw", "never"),
    *_kept(bases.MIXER_DIGITS, 22, "once-per-epoch-adam", "epoch"),
]


def _forgotten(plan: Plan, seeds: int | tuple[int, ...], form: str, *left_out: str) -> list[Recipe]:
    return sick(
        "untrained-parameters",
        f"{form}-not-in-optimizer",
        plan,
        seeds,
        optimizer=without(plan.optimizer, *left_out),
    )


def _detached(plan: Plan, seed: int, last: int = 1) -> list[Recipe]:
    return sick(
        "untrained-parameters", "body-detached", plan, seed, model=detached(plan.model, last)
    )


UNTRAINED: list[Recipe] = [
    *_forgotten(bases.FUNNEL_FOREST, 20, "first-layers", "0.", "2."),
    *_detached(bases.VGG_MNIST, 21, 3),
    *_detached(bases.WIDE_SPIRALS, 22),
    *_forgotten(bases.TEXT_CNN_REUTERS, 20, "filters", "filters."),
    *_forgotten(bases.BOTH_MAJORITY, 21, "recurrence", "body."),
    *sick(
        "untrained-parameters",
        "body-rate-zero",
        bases.ENCODER_SORTING,
        22,
        optimizer=with_zero_rate(optim.Adam, 2e-3, "body."),
    ),
    *sick(
        "untrained-parameters",
        "head-rate-zero",
        bases.TCN_EXCHANGE,
        20,
        optimizer=with_zero_rate(optim.Adam, 2e-3, "head."),
    ),
]


def _wrong_mode(plan: Plan, seeds: int | tuple[int, ...], form: str, mode: str) -> list[Recipe]:
    onset = plan.steps // plan.epochs if mode == "forgotten" else 0
    return sick("wrong-mode", f"{form}-{mode}", plan, seeds, (), onset, mode=mode)


_DROPPED_FOREST = bases.FUNNEL_FOREST.but(model=bases.FUNNEL_FOREST.remodel(dropout=0.2))

WRONG_MODE: list[Recipe] = [
    *_wrong_mode(_DROPPED_FOREST, 20, "dropout", "eval"),
    *_wrong_mode(bases.SEPARABLE_STRIPES, 22, "batch-norm", "forgotten"),
    *_wrong_mode(bases.RESNET_CIFAR10, 20, "batch-norm", "eval"),
    *_wrong_mode(bases.TEXT_CNN_IMDB, 21, "dropout", "forgotten"),
    *_wrong_mode(bases.GPT_WIKITEXT, 22, "dropout", "eval"),
]

_CANCER_SQUARES = bases.WIDE_CANCER.but(
    loss=nn.MSELoss(), scoring="probabilities", optimizer=sgd(0.01, 0.9, weight_decay=1e-2)
)


def _flattened(
    plan: Plan, seeds: int | tuple[int, ...], form: str, loss: nn.Module
) -> list[Recipe]:
    """[N] against [N, 1], which torch spreads to [N, N]."""
    return sick("loss-shape-mismatch", form, plan, seeds, loss=loss)


SHAPES: list[Recipe] = [
    *_flattened(bases.FUNNEL_HOUSING, 20, "mse", FlattenedMse()),
    *_flattened(bases.TCN_SINES, 22, "mse", FlattenedMse()),
    *_flattened(bases.GRU_LEAKY.but(loss=nn.HuberLoss()), 20, "huber", FlattenedHuber()),
    *_flattened(bases.DENSE_FRIEDMAN.but(loss=nn.L1Loss()), 21, "l1", FlattenedL1()),
    *_flattened(_CANCER_SQUARES, 22, "mse-on-labels", FlattenedMse()),
]

RECIPES = KEPT + UNTRAINED + WRONG_MODE + SHAPES
