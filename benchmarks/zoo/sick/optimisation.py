"""Wrong rates, and what is forgotten in the lines around `optimizer.step()`."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn, optim

from .. import bases
from ..data import changes
from ..faults import detached
from ..losses import FlattenedHuber, FlattenedL1, FlattenedMse
from ..optimizers import adam, adamw, rmsprop, sgd, with_zero_rate, without
from ..plan import Plan
from ..recipe import Recipe, sick

_HIGH = ("oscillating-loss", "loss-explosion")
_SLOW = ("slow-convergence",)

TOO_HIGH: list[Recipe] = [
    *sick(
        "learning-rate-too-high", "sgd-x100", bases.FC_CIRCLES, (0, 1), _HIGH, optimizer=sgd(30.0)
    ),
    *sick("learning-rate-too-high", "adam-x150", bases.FC_DIGITS, 2, _HIGH, optimizer=adam(0.3)),
    *sick("learning-rate-too-high", "adam-x100", bases.CNN_MNIST, 0, _HIGH, optimizer=adam(0.3)),
    *sick(
        "learning-rate-too-high", "rmsprop-x100", bases.RNN_DIGITS, 1, _HIGH, optimizer=rmsprop(0.3)
    ),
    *sick(
        "learning-rate-too-high",
        "adamw-x40",
        bases.TRANSFORMER_CHARS,
        2,
        _HIGH,
        optimizer=adamw(0.2),
    ),
    *sick(
        "learning-rate-too-high",
        "momentum-x50",
        bases.FC_MNIST,
        (10, 11),
        _HIGH,
        optimizer=sgd(1.0, 0.9),
    ),
    *sick("learning-rate-too-high", "adam-x30", bases.CNN_CIFAR10, 12, _HIGH, optimizer=adam(0.1)),
    *sick("learning-rate-too-high", "adam-x50", bases.RNN_CHARS, 10, _HIGH, optimizer=adam(0.5)),
    *sick(
        "learning-rate-too-high",
        "adamw-x50",
        bases.TRANSFORMER_REUTERS,
        11,
        _HIGH,
        optimizer=adamw(0.1),
    ),
]

TOO_LOW: list[Recipe] = [
    *sick(
        "learning-rate-too-low", "sgd-1e-5", bases.FC_CIRCLES, (0, 1), _SLOW, optimizer=sgd(1e-5)
    ),
    *sick("learning-rate-too-low", "adam-1e-7", bases.CNN_MNIST, 2, _SLOW, optimizer=adam(1e-7)),
    *sick("learning-rate-too-low", "adam-1e-6", bases.RNN_EXCHANGE, 0, _SLOW, optimizer=adam(1e-6)),
    *sick(
        "learning-rate-too-low",
        "adamw-1e-7",
        bases.TRANSFORMER_DIGITS,
        1,
        _SLOW,
        optimizer=adamw(1e-7),
    ),
    *sick(
        "learning-rate-too-low",
        "momentum-1e-6",
        bases.FC_MNIST,
        (10, 11),
        _SLOW,
        optimizer=sgd(1e-6, 0.9),
    ),
    *sick("learning-rate-too-low", "sgd-1e-5", bases.FC_BLOBS, 12, _SLOW, optimizer=sgd(1e-5)),
    *sick("learning-rate-too-low", "adam-1e-6", bases.RNN_CHARS, 10, _SLOW, optimizer=adam(1e-6)),
    *sick(
        "learning-rate-too-low",
        "adamw-1e-7",
        bases.TRANSFORMER_IMDB,
        11,
        _SLOW,
        optimizer=adamw(1e-7),
    ),
]

KEPT: list[Recipe] = [
    *sick(
        "missing-zero-grad",
        "never-momentum",
        bases.FC_DIGITS.but(optimizer=sgd(0.05, 0.9)),
        (0, 1),
        zero_grad="never",
    ),
    *sick("missing-zero-grad", "never-adam", bases.CNN_MNIST, 2, zero_grad="never"),
    *sick(
        "missing-zero-grad",
        "once-per-epoch-sgd",
        bases.RNN_EXCHANGE.but(optimizer=sgd(0.3)),
        0,
        zero_grad="epoch",
    ),
    *sick("missing-zero-grad", "never-sgd", bases.FC_CIRCLES, 1, zero_grad="never"),
    *sick("missing-zero-grad", "never-momentum", bases.FC_MNIST, 10, zero_grad="never"),
    *sick("missing-zero-grad", "once-per-epoch-adam", bases.CNN_CIFAR10, 11, zero_grad="epoch"),
    *sick("missing-zero-grad", "never-adamw", bases.TRANSFORMER_EXCHANGE, 12, zero_grad="never"),
    *sick("missing-zero-grad", "never-adam", bases.RNN_MNIST, 10, zero_grad="never"),
]


def _forgotten(plan: Plan, seed: int, form: str, *left_out: str) -> list[Recipe]:
    return sick(
        "untrained-parameters",
        f"{form}-not-in-optimizer",
        plan,
        seed,
        optimizer=without(plan.optimizer, *left_out),
    )


def _detached(plan: Plan, seed: int, last: int = 1) -> list[Recipe]:
    return sick(
        "untrained-parameters", "body-detached", plan, seed, model=detached(plan.model, last)
    )


UNTRAINED: list[Recipe] = [
    *_forgotten(bases.FC_DIGITS, 0, "first-layers", "0.", "2."),
    *_detached(bases.CNN_MNIST, 1),
    *_forgotten(bases.RNN_IMDB, 2, "embedding", "embedding."),
    *sick(
        "untrained-parameters",
        "body-rate-zero",
        bases.TRANSFORMER_DIGITS,
        0,
        optimizer=with_zero_rate(optim.AdamW, 2e-3, "body."),
    ),
    *_detached(bases.FC_CIRCLES, 2),
    *_forgotten(bases.FC_MNIST, 10, "last-layer", "4."),
    *_detached(bases.CNN_CIFAR10, 11, 2),
    *_forgotten(bases.RNN_REUTERS, 12, "recurrence", "body."),
    *sick(
        "untrained-parameters",
        "head-rate-zero",
        bases.TRANSFORMER_EXCHANGE,
        10,
        optimizer=with_zero_rate(optim.Adam, 2e-3, "head."),
    ),
    *_forgotten(bases.TRANSFORMER_REUTERS, 11, "embedding", "embedding.", "position"),
]


def _dropout(plan: Plan, share: float) -> Plan:
    return plan.but(model=plan.remodel(dropout=share))


_NORM_MNIST = bases.CNN_MNIST.but(model=bases.CNN_MNIST.remodel(norm=True))
_NORM_CIFAR = bases.CNN_CIFAR10.but(model=bases.CNN_CIFAR10.remodel(norm=True))
_NORM_FC = bases.FC_MNIST.but(model=bases.FC_MNIST.remodel(norm=nn.BatchNorm1d))


def _wrong_mode(plan: Plan, seed: int, form: str, mode: str) -> list[Recipe]:
    onset = plan.steps // plan.epochs if mode == "forgotten" else 0
    return sick("wrong-mode", f"{form}-{mode}", plan, seed, (), onset, mode=mode)


WRONG_MODE: list[Recipe] = [
    *_wrong_mode(_dropout(bases.FC_DIGITS, 0.3), 0, "dropout", "eval"),
    *_wrong_mode(_NORM_MNIST, 1, "batch-norm", "eval"),
    *_wrong_mode(_NORM_MNIST, 2, "batch-norm", "forgotten"),
    *_wrong_mode(_dropout(bases.TRANSFORMER_DIGITS, 0.2), 0, "dropout", "forgotten"),
    *_wrong_mode(_NORM_CIFAR, 10, "batch-norm", "forgotten"),
    *_wrong_mode(_NORM_FC, 11, "batch-norm", "eval"),
    *_wrong_mode(_dropout(bases.TRANSFORMER_IMDB, 0.3), 12, "dropout", "eval"),
    *_wrong_mode(_dropout(bases.RNN_REUTERS, 0.4), 10, "dropout", "forgotten"),
]

_CIRCLES_SQUARES = bases.FC_CIRCLES_BINARY.but(loss=nn.MSELoss(), scoring="probabilities")


def _one_series(plan: Plan) -> Plan:
    """Forecast only the first currency, as a column."""
    narrow = {"source": plan.data(changes.targets(lambda y: y[:, :1]))}
    return plan.but(**narrow, model=_one_output(plan))


def _one_output(plan: Plan) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        model = plan.model()
        if isinstance(model, nn.Sequential):
            model[-1] = nn.Linear(model[-1].in_features, 1)
        else:
            model.head = nn.Linear(model.head.in_features, 1)
        return model

    return build


SHAPES: list[Recipe] = [
    *sick("loss-shape-mismatch", "mse", bases.FC_FRIEDMAN, (0, 1), loss=FlattenedMse()),
    *sick(
        "loss-shape-mismatch",
        "l1",
        bases.FC_FRIEDMAN.but(loss=nn.L1Loss(), hand_in_loss=True),
        2,
        loss=FlattenedL1(),
    ),
    *sick("loss-shape-mismatch", "mse", _one_series(bases.RNN_EXCHANGE), 0, loss=FlattenedMse()),
    *sick("loss-shape-mismatch", "mse-on-labels", _CIRCLES_SQUARES, 1, loss=FlattenedMse()),
    *sick(
        "loss-shape-mismatch", "mse", _one_series(bases.FC_EXCHANGE), (10, 11), loss=FlattenedMse()
    ),
    *sick(
        "loss-shape-mismatch",
        "huber",
        _one_series(bases.TRANSFORMER_EXCHANGE).but(loss=nn.HuberLoss()),
        12,
        loss=FlattenedHuber(),
    ),
    *sick(
        "loss-shape-mismatch",
        "mse-on-labels",
        bases.TRANSFORMER_IMDB.but(loss=nn.MSELoss(), scoring="probabilities"),
        10,
        loss=FlattenedMse(),
    ),
]

RECIPES = TOO_HIGH + TOO_LOW + KEPT + UNTRAINED + WRONG_MODE + SHAPES
