"""The cases: sick and healthy trainings, drawn by a seed over all that a training is made of.

A case is plain data. The same name gives the same case on every machine, and its plan begins with
the same weights.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch
from torch import nn

import paramedic

from . import faults
from .data import FLOORS, piece
from .networks import convolutional, fully_connected, initialise, recurrent

EPOCHS = 12
NETWORKS = {"fc": fully_connected, "cnn": convolutional, "rnn": recurrent}
COMBINATIONS = (
    ("blob", "fc"), ("circle", "fc"), ("mnist", "fc"), ("mnist", "cnn"), ("cifar10", "cnn"),
    ("imdb", "fc"), ("imdb", "rnn"), ("reuters", "fc"), ("reuters", "rnn"), ("mnist", "rnn"),
)  # fmt: skip
PROBLEMS = ("VG", "EG", "DR", "OL", "SC", "IO", "IL", "AD")
FRESH = 600  # numbers from here on were drawn last, and nobody has looked at them singly
NUMBERS = (*range(15), *range(500, 508), *range(FRESH, FRESH + 8))
_HEALTHY_EACH = 4
HEALTHY = _HEALTHY_EACH * len(NUMBERS)


@dataclass(frozen=True, slots=True)
class Case:
    """One training: everything it was drawn with. `problem` is empty for a healthy one."""

    name: str
    problem: str
    dataset: str
    network: str
    depth: int
    width: int
    activation: str
    initialiser: str
    bias: float
    optimizer: str
    rate: float
    momentum: float
    batch: int
    epochs: int
    loss: str
    last: str
    scaling: str
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    def but(self, **changes: Any) -> Case:
        """The case with other values."""
        return replace(self, **changes)


def cases() -> list[Case]:
    """All cases: the problems take turns, so that any first part of the list has them all."""
    found: list[Case] = []
    for number in NUMBERS:
        found += [sick(problem, number) for problem in PROBLEMS]
        found += [healthy(_HEALTHY_EACH * number + place) for place in range(_HEALTHY_EACH)]
    return found


def healthy(number: int) -> Case:
    """A training that works."""
    draw = random.Random(f"healthy-{number}")
    dataset, network = COMBINATIONS[number % len(COMBINATIONS)]
    return _base(f"healthy-{number:02d}", dataset, network, draw, 1000 + number)


def sick(problem: str, number: int) -> Case:
    """A healthy training with one fault."""
    draw = random.Random(f"{problem}-{number}")
    dataset, network = draw.choice(faults.PLACES.get(problem, COMBINATIONS))
    base = _base(f"{problem}-{number:02d}", dataset, network, draw, number)
    fault: Callable[[Case, random.Random], dict[str, Any]] = getattr(faults, problem.lower())
    return base.but(problem=problem, **fault(base, draw))


def _base(name: str, dataset: str, network: str, draw: random.Random, seed: int) -> Case:
    plain = dataset in ("blob", "circle")
    recurrent_cells = ("rnn", "lstm", "gru")
    activations = recurrent_cells if network == "rnn" else ("relu", "tanh", "elu", "leaky", "selu")
    optimizer = draw.choice(("adam", "sgd", "rmsprop"))
    rates = {"adam": (2e-3, 5e-3), "sgd": (0.01, 0.03), "rmsprop": (1e-3, 3e-3)}
    if network == "rnn":
        optimizer = "adam"
    if dataset == "circle":  # the one that is hard for a small rate
        optimizer, rates = "adam", {"adam": (1e-2, 2e-2)}
    return Case(
        name=name,
        problem="",
        dataset=dataset,
        network=network,
        depth=1 if network == "rnn" else draw.choice((2, 3)) if network == "fc" else 2,
        width=draw.choice((8, 12)) if network == "cnn" else draw.choice((24, 32, 48)),
        activation=draw.choice(activations),
        initialiser="default" if network == "rnn" else draw.choice(("default", "xavier", "he")),
        bias=0.0,
        optimizer=optimizer,
        rate=draw.choice(rates[optimizer]),
        momentum=0.9 if optimizer == "sgd" else 0.0,
        batch=draw.choice((16, 32)),
        epochs=25 if plain else EPOCHS,
        loss=draw.choice(("ce", "bce-logits")) if dataset in ("circle", "imdb") else "ce",
        last="none",
        scaling="standard",
        seed=seed,
    )


def plan(case: Case, **changes: Any) -> paramedic.Plan:
    """The plan of a case."""
    data = faults.scaled(piece(case.dataset, case.seed), case)
    loss, outputs, targets = faults.losses(case, data)
    optimizers = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD, "rmsprop": torch.optim.RMSprop}
    settings = {"lr": case.rate} | ({"momentum": case.momentum} if case.momentum else {})
    values: dict[str, Any] = {
        "model": _model(case, outputs),
        "loss": loss,
        "optimizer": (optimizers[case.optimizer], settings),
        "train": (data.train[0], targets(data.train[1])),
        "validation": (data.validation[0], targets(data.validation[1])),
        "epochs": case.epochs,
        "batch_size": case.batch,
        "seed": case.seed,
    }
    return paramedic.Plan(**{**values, **changes})


def _model(case: Case, outputs: int) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(case.seed)
        make = NETWORKS[case.network]
        model = make(
            case.dataset, outputs, depth=case.depth, width=case.width,
            activation=case.activation, last=case.last,
        )  # fmt: skip
        initialise(model, case.initialiser, case.bias)
    return model


def floor(case: Case) -> float:
    """An accuracy that a sound model reaches on the data of a case."""
    return FLOORS[case.dataset]
