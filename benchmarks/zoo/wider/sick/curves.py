"""Losses that swing, crawl, stand still, blow up, or no longer mean anything."""

from __future__ import annotations

from functools import partial

from torch import nn

from ... import bases as first
from ...data import changes
from ...faults import sorted_by_class
from ...judging import bases as judging
from ...judging.second import bases as second
from ...models import mlp
from ...optimizers import adam, adamw, jump, sgd
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases
from ..networks import ConvolutionsThenGru

_RATE = ("learning-rate-too-high",)
_LOW = ("learning-rate-too-low", "too-few-steps")

OSCILLATING: list[Recipe] = [
    *sick(
        "oscillating-loss",
        "class-sorted-adam",
        bases.CRNN_DIGITS.but(epochs=9),
        2,
        order=sorted_by_class,
    ),
    *sick(
        "oscillating-loss",
        "momentum-0.995",
        first.FC_FRIEDMAN,
        1,
        _RATE,
        optimizer=sgd(0.05, 0.995),
    ),
    *sick(
        "oscillating-loss",
        "momentum-0.99",
        bases.PIECES_MNIST,
        7,
        _RATE,
        optimizer=sgd(0.1, 0.99),
    ),
]

SLOW: list[Recipe] = [
    *sick("slow-convergence", "adam-1e-4", bases.GRAPH_GRAPHS, 3, _LOW, optimizer=adam(1e-4)),
    *sick("slow-convergence", "sgd-0.005", bases.PIECES_MNIST, 4, _LOW, optimizer=sgd(0.005)),
    *sick("slow-convergence", "adam-2e-4", bases.WRITER_TURNING, 1, _LOW, optimizer=adam(2e-4)),
]

PLATEAU: list[Recipe] = [
    *sick(
        "loss-plateau",
        "linear-model",
        second.MAXOUT_CHECKERS,
        4,
        model=partial(nn.Linear, 2, 2),
        optimizer=sgd(0.1),
    ),
    *sick(
        "loss-plateau",
        "linear-model",
        first.FC_FRIEDMAN,
        2,
        model=partial(nn.Linear, 10, 1),
        optimizer=sgd(0.05),
    ),
    *sick(
        "loss-plateau",
        "linear-model",
        bases.GRAPH_GRAPHS,
        3,
        model=lambda: nn.Sequential(nn.Flatten(), nn.Linear(88, 1)),
        optimizer=sgd(0.01),
    ),
]


EXPLOSION: list[Recipe] = [
    *sick(
        "loss-explosion",
        "sign-error-in-optimizer",
        bases.GRAPH_GRAPHS,
        4,
        optimizer=adam(3e-3, maximize=True),
    ),
    *sick(
        "loss-explosion",
        "rate-jumps-x15",
        bases.LINEAR_LINES,
        11,
        (*_RATE, "non-finite"),
        bases.LINEAR_LINES.steps // 2,
        scheduler=jump(0.5, 15.0),
    ),
]


def _as_number(plan: Plan, seed: int, model: partial[nn.Module], loss: object) -> list[Recipe]:
    """The class as a quantity: one output and a loss for quantities."""
    return sick(
        "improper-loss",
        "quantity-of-class",
        plan,
        seed,
        model=model,
        source=plan.data(changes.targets(lambda y: y.float().reshape(-1, 1))),
        loss=loss,
        scoring="class-numbers",
    )


LOSSES: list[Recipe] = [
    *_as_number(judging.FUNNEL_FOREST, 0, partial(mlp, 20, 1, hidden=48), nn.L1Loss()),
    *_as_number(bases.CRNN_DIGITS, 4, partial(ConvolutionsThenGru, 8, 1), nn.SmoothL1Loss()),
    *sick(
        "improper-loss",
        "cross-entropy-on-counts",
        bases.FC_COUNTS.but(scoring="regression"),
        3,
        loss=nn.CrossEntropyLoss(),
    ),
    *sick(
        "improper-loss",
        "cross-entropy-of-one-output",
        bases.LINEAR_COINS,
        6,
        loss=nn.CrossEntropyLoss(),
    ),
]


def _long(plan: Plan, seed: int, epochs: int) -> list[Recipe]:
    """The same run, for much longer than it has anything to gain."""
    return sick("no-more-gain", f"{epochs}-epochs", plan, seed, ("overfitting",), epochs=epochs)


NO_MORE_GAIN: list[Recipe] = [
    *_long(bases.FC_HEAVY.but(optimizer=adam(5e-3)), 14, 50),
    *_long(
        bases.FC_RARE.but(
            source=bases.FC_RARE.source.sized(960), optimizer=adamw(5e-3, weight_decay=0.01)
        ),
        6,
        40,
    ),
    *_long(bases.PIECES_MNIST.but(source=bases.FLAT_MNIST.sized(960)), 5, 40),
]

RECIPES = OSCILLATING + SLOW + PLATEAU + EXPLOSION + LOSSES + NO_MORE_GAIN
