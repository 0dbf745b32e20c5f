"""What is made wrong in a sick case: one function per problem of AUTOTRAINER."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from .data import Piece

if TYPE_CHECKING:
    from .cases import Case

Changes = dict[str, Any]
PICTURES_AND_POINTS = (("blob", "fc"), ("circle", "fc"), ("mnist", "fc"), ("mnist", "cnn"))
PLACES = {
    "VG": (("blob", "fc"), ("circle", "fc"), ("mnist", "fc"), ("mnist", "cnn"), ("reuters", "fc")),
    "EG": (*PICTURES_AND_POINTS, ("cifar10", "cnn")),
    "DR": (*PICTURES_AND_POINTS, ("cifar10", "cnn"), ("reuters", "fc")),
    "AD": (*PICTURES_AND_POINTS, ("cifar10", "cnn"), ("mnist", "rnn")),
}


def vg(case: Case, draw: random.Random) -> Changes:
    """Vanishing gradient: many layers that squash."""
    deep = draw.choice((4, 5)) if case.network == "cnn" else draw.choice((6, 8, 10))
    changes = {
        "activation": draw.choice(("sigmoid", "sigmoid", "tanh")), "depth": deep,
        "optimizer": "sgd", "rate": draw.choice((0.01, 0.05)), "momentum": 0.0,
    }  # fmt: skip
    small = "gain:0.3" if changes["activation"] == "tanh" else "default"
    return changes | {"initialiser": small}


def eg(case: Case, draw: random.Random) -> Changes:
    """Exploding gradient: weights many times too large."""
    deep = 4 if case.network == "cnn" else draw.choice((4, 6))
    return {
        "activation": draw.choice(("relu", "elu", "leaky")), "depth": deep,
        "initialiser": f"gain:{draw.choice((4, 6, 10))}", "optimizer": "sgd",
        "rate": draw.choice((0.01, 0.05)), "momentum": 0.0,
    }  # fmt: skip


def dr(case: Case, draw: random.Random) -> Changes:
    """Dying ReLU: biases that keep the units off."""
    deep = 2 if case.network == "cnn" else draw.choice((2, 3, 4))
    changes = {
        "activation": "relu", "depth": deep, "initialiser": "default",
        "bias": draw.choice((-2.0, -4.0, -8.0)), "optimizer": draw.choice(("sgd", "adam")),
    }  # fmt: skip
    return changes | {"momentum": 0.0 if changes["optimizer"] == "adam" else case.momentum}


def ol(case: Case, draw: random.Random) -> Changes:
    """Oscillating loss: a rate many times too high."""
    if case.network == "rnn":
        return {"optimizer": "adam", "rate": draw.choice((0.2, 0.5)), "momentum": 0.0}
    if draw.random() < 0.5:
        return {"optimizer": "adam", "rate": draw.choice((0.3, 0.6)), "momentum": 0.0}
    return {"optimizer": "sgd", "rate": draw.choice((2.0, 4.0)), "momentum": 0.9}


def sc(case: Case, draw: random.Random) -> Changes:
    """Slow convergence: a rate far too low."""
    if draw.random() < 0.5:
        return {"optimizer": "adam", "rate": draw.choice((1e-7, 1e-6)), "momentum": 0.0}
    return {"optimizer": "sgd", "rate": draw.choice((1e-6, 1e-5, 1e-4)), "momentum": 0.0}


def io(case: Case, draw: random.Random) -> Changes:
    """Improper output activation before a loss that takes logits."""
    return {"loss": "ce" if case.loss == "ce" else "bce-logits", "last": _wrong_end(case, draw)}


def _wrong_end(case: Case, draw: random.Random) -> str:
    return draw.choice(("softmax", "relu", "sigmoid") if case.loss == "ce" else ("relu", "sigmoid"))


def il(case: Case, draw: random.Random) -> Changes:
    """Improper loss: squared or absolute error on class numbers."""
    if case.dataset in ("circle", "imdb"):
        return {"loss": "ce-of-one"}
    return {"loss": draw.choice(("mse-on-numbers", "l1-on-numbers", "mse-of-one"))}


def ad(case: Case, draw: random.Random) -> Changes:
    """Abnormal data: inputs far out of scale, shifted, with outliers or NaN."""
    scaling = draw.choice(("×100", "×1000", "+100", "nan", "outliers"))
    return {"scaling": scaling, "optimizer": "sgd", "rate": 0.05, "momentum": 0.0}


# -- what the words mean -------------------------------------------------------------------------


def scaled(data: Piece, case: Case) -> Piece:
    """The data with what is wrong with its inputs."""
    if case.scaling == "standard":
        return data
    generator = torch.Generator().manual_seed(case.seed)
    change = _changes(case.scaling, generator)
    return replace(
        data,
        train=(change(data.train[0]), data.train[1]),
        validation=(change(data.validation[0]), data.validation[1]),
    )


def _changes(scaling: str, generator: torch.Generator) -> Callable[[Tensor], Tensor]:
    if scaling.startswith("×"):
        return lambda x: x * float(scaling[1:])
    if scaling.startswith("+"):
        return lambda x: x + float(scaling[1:])

    def spoiled(x: Tensor) -> Tensor:
        hit = torch.rand(x.shape, generator=generator) < 2e-3
        return torch.where(hit, torch.nan if scaling == "nan" else 1e4, x)

    return spoiled


def losses(case: Case, data: Piece) -> tuple[nn.Module, int, Callable[[Tensor], Tensor]]:
    """The loss, how many outputs it is fed, and what is done to the labels."""

    def column(y: Tensor) -> Tensor:
        return y.float().unsqueeze(1)

    def same(y: Tensor) -> Tensor:
        return y

    return {
        "ce": (nn.CrossEntropyLoss(), data.classes, same),
        "bce-logits": (nn.BCEWithLogitsLoss(), 1, column),
        "ce-of-one": (nn.CrossEntropyLoss(), 1, column),
        "mse-on-numbers": (nn.MSELoss(), data.classes, column),
        "l1-on-numbers": (nn.L1Loss(), data.classes, column),
        "mse-of-one": (nn.MSELoss(), 1, column),
    }[case.loss]
