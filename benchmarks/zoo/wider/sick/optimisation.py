"""Wrong rates and beginnings, what is forgotten around `optimizer.step()`, too little, too much."""

from __future__ import annotations

from functools import partial

from torch import Tensor, nn, optim

from ... import bases as first
from ...data import changes
from ...faults import constant_parameters, normal_weights, scaled_weights
from ...judging.second import bases as second
from ...losses import FlattenedHuber, FlattenedL1, FlattenedMse
from ...models import mlp
from ...optimizers import Make, adam, adamw, other, sgd, with_zero_rate, without
from ...plan import Plan
from ...recipe import Recipe, sick
from .. import bases
from ..networks import ConvolutionsThenGru, MessagePassing


def _high(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    others = ("oscillating-loss", "loss-explosion")
    return sick("learning-rate-too-high", form, plan, seed, others, optimizer=optimizer)


def _low(plan: Plan, seed: int, form: str, optimizer: Make) -> list[Recipe]:
    return sick(
        "learning-rate-too-low", form, plan, seed, ("slow-convergence",), optimizer=optimizer
    )


RATES: list[Recipe] = [
    *_high(bases.CRNN_DIGITS, 8, "adam-x100", adam(0.3)),
    *_high(bases.LINEAR_COINS, 8, "sgd-x1000", sgd(100.0)),
    *_high(bases.WRITER_TURNING, 2, "adam-x60", adam(0.3)),
    *_low(bases.GRAPH_GRAPHS, 7, "adam-1e-6", adam(1e-6)),
    *_low(first.FC_FRIEDMAN, 4, "rmsprop-1e-6", other(optim.RMSprop, 1e-6)),
    *_low(bases.CRNN_DIGITS, 9, "adagrad-1e-6", other(optim.Adagrad, 1e-6)),
]

KEPT: list[Recipe] = [
    *sick("missing-zero-grad", "never-sgd", bases.LINEAR_LINES, 9, zero_grad="never"),
    *sick("missing-zero-grad", "never-adam", bases.WRITER_TURNING, 3, zero_grad="never"),
    *sick(
        "missing-zero-grad",
        "once-per-epoch-adam",
        bases.GRAPH_GRAPHS,
        8,
        zero_grad="epoch",
    ),
]


class DetachedEyes(ConvolutionsThenGru):
    """The columns are detached, as if they came from a fixed network."""

    def forward(self, x: Tensor) -> Tensor:
        columns = self.eyes(x).permute(0, 3, 1, 2).flatten(2).detach()
        return self.head(self.body(columns)[0].mean(1))


class UnusedRounds(MessagePassing):
    """The rounds are made and never called."""

    def forward(self, x: Tensor) -> Tensor:
        states, joined = self.enter(x[..., : self.features]), x[..., self.features :]
        heard = (joined.mean(-1, keepdim=True) * states).repeat(1, 1, 2)
        return self.head(nn.functional.silu(self.pair(heard)).mean(1))


UNTRAINED: list[Recipe] = [
    *sick(
        "untrained-parameters",
        "eyes-detached",
        bases.CRNN_DIGITS,
        10,
        model=partial(DetachedEyes, 8, 10),
    ),
    *sick(
        "untrained-parameters",
        "rounds-never-called",
        bases.GRAPH_GRAPHS,
        9,
        model=partial(UnusedRounds, 3, 1),
    ),
    *sick(
        "untrained-parameters",
        "vectors-not-in-optimizer",
        bases.AFFINITY_RATINGS,
        1,
        optimizer=without(bases.AFFINITY_RATINGS.optimizer, "vectors."),
    ),
    *sick(
        "untrained-parameters",
        "backbone-rate-zero",
        bases.PIECES_MNIST,
        6,
        optimizer=with_zero_rate(optim.SGD, 0.03, "backbone.", momentum=0.9),
    ),
]

_DROPPED = bases.FC_RARE.but(model=bases.FC_RARE.remodel(dropout=0.3))

MODES: list[Recipe] = [
    *sick("wrong-mode", "batch-norm-eval", bases.HOURGLASS_MASKS, 3, mode="eval"),
    *sick(
        "wrong-mode",
        "batch-norm-forgotten",
        bases.CRNN_DIGITS,
        11,
        (),
        bases.CRNN_DIGITS.steps // bases.CRNN_DIGITS.epochs,
        mode="forgotten",
    ),
    *sick("wrong-mode", "dropout-eval", _DROPPED, 9, mode="eval"),
]

SHAPES: list[Recipe] = [
    *sick("loss-shape-mismatch", "mse", bases.LINEAR_LINES, 10, loss=FlattenedMse()),
    *sick("loss-shape-mismatch", "mse", bases.AFFINITY_RATINGS, 2, loss=FlattenedMse()),
    *sick(
        "loss-shape-mismatch", "l1", bases.FC_HEAVY.but(loss=nn.L1Loss()), 11, loss=FlattenedL1()
    ),
    *sick(
        "loss-shape-mismatch",
        "huber",
        bases.EXPERTS_FRIEDMAN.but(loss=nn.HuberLoss()),
        2,
        loss=FlattenedHuber(),
    ),
]

BEGINNINGS: list[Recipe] = [
    *sick("poor-initialization", "all-zero", bases.FC_HEAVY, 12, prepare=constant_parameters(0.0)),
    *sick(
        "poor-initialization",
        "constant-0.2",
        bases.CRNN_DIGITS,
        12,
        prepare=constant_parameters(0.2),
    ),
    *sick(
        "poor-initialization",
        "weights-x30",
        second.MAXOUT_CHECKERS,
        5,
        ("exploding-gradient",),
        prepare=scaled_weights(30.0),
    ),
    *sick(
        "poor-initialization",
        "deviation-2",
        bases.GRAPH_GRAPHS,
        10,
        ("exploding-gradient",),
        prepare=normal_weights(2.0),
    ),
]


def _stopped(full: Plan, seed: int, epochs: int) -> list[Recipe]:
    return sick(
        "too-few-steps", f"{epochs}-epochs", full, seed, ("slow-convergence",), epochs=epochs
    )


TOO_FEW: list[Recipe] = [
    *_stopped(bases.WRITER_TURNING.but(optimizer=adam(2e-3), epochs=14), 4, 2),
    *_stopped(bases.LISTENER_UTTERANCES, 1, 5),
    *_stopped(bases.AFFINITY_RATINGS.but(optimizer=adam(2e-3), epochs=30), 3, 5),
]


def _by_heart(plan: Plan, seed: int, samples: int, **fault: object) -> list[Recipe]:
    """The plan with few samples, seen many times."""
    return sick(
        "overfitting",
        f"{samples}-samples",
        plan,
        seed,
        source=plan.source.sized(samples),
        batch=16,
        **fault,
    )


_NOISY_DIGITS = bases.CRNN_DIGITS.but(source=bases.CRNN_DIGITS.data(changes.wrong_labels(0.25)))

OVERFITTING: list[Recipe] = [
    *_by_heart(bases.FC_COINS, 7, 160, epochs=50, model=partial(mlp, 8, 1, hidden=128)),
    *_by_heart(
        bases.FC_HEAVY,
        13,
        96,
        epochs=90,
        model=partial(mlp, 6, 1, hidden=128),
        optimizer=adam(1e-2),
    ),
    *_by_heart(_NOISY_DIGITS, 13, 128, epochs=80),
    *_by_heart(bases.AFFINITY_RATINGS, 4, 320, epochs=40, optimizer=adamw(1e-2)),
]

RECIPES = RATES + KEPT + UNTRAINED + MODES + SHAPES + BEGINNINGS + TOO_FEW + OVERFITTING
