"""Sound plans of the sixth filling, one for each pair of architecture and data set."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ...data import changes
from ...data.books import LETTERS, moby
from ...data.drawn import DIRECTIONS, SHAPES, shapes, stripes
from ...data.gathered import (
    ARM_FEATURES,
    PEAKS,
    STRAW_FEATURES,
    arms,
    needles,
    peaks,
)
from ...data.images import digits, mnist
from ...data.measured import REGIONS, regions, terrain
from ...data.more_points import COLOURS, checkers, colours, spread, swiss
from ...data.noisy import COUNT_FEATURES, counts
from ...data.points import TAGS, TREES, forest, tags
from ...data.sequences import leaky
from ...data.tables import friedman
from ...losses import next_symbol
from ...optimizers import adam, adamw, sgd
from ...plan import Plan
from .networks.others import GatedPooling, LeakyRnn, asymmetric
from .networks.tables import Hyper, factored, waved

CLASSES = nn.CrossEntropyLoss()
YES_OR_NO = nn.BCEWithLogitsLoss()
SQUARES = nn.MSELoss()

# -- tables ----------------------------------------------------------------------------------

FACTORED_DIGITS = Plan(
    "factored-fc",
    digits().changed(changes.flat()),
    partial(factored, 64, 10),
    CLASSES,
    sgd(0.03, 0.9),
    "classes",
    epochs=8,
)
FACTORED_FOREST = Plan(
    "factored-fc",
    forest(),
    partial(factored, 20, TREES),
    F.cross_entropy,
    adam(3e-3),
    "classes",
    epochs=8,
    hand_in_loss=True,
)
FACTORED_FRIEDMAN = Plan(
    "factored-fc",
    friedman(),
    partial(factored, 10, 1, depth=2),
    SQUARES,
    adam(5e-3),
    "regression",
    epochs=10,
)
FACTORED_TAGS = Plan(
    "factored-fc",
    tags(),
    partial(factored, 30, TAGS, depth=2),
    YES_OR_NO,
    adamw(2e-3),
    "logits",
    epochs=6,
)
HYPER_ARMS = Plan(
    "hyper-fc",
    arms(),
    partial(Hyper, ARM_FEATURES, 2),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=10,
)
HYPER_REGIONS = Plan(
    "hyper-fc",
    regions(),
    partial(Hyper, 2, REGIONS),
    CLASSES,
    sgd(0.02, 0.9),
    "classes",
    epochs=10,
    hand_in_loss=True,
)
HYPER_COUNTS = Plan(
    "hyper-fc",
    counts(),
    partial(Hyper, COUNT_FEATURES, 1),
    nn.PoissonNLLLoss(),
    adam(2e-3),
    "none",
    epochs=8,
    report="loss",
)
WAVED_TERRAIN = Plan(
    "wave-features",
    terrain(960),
    partial(waved, 2, 1, spread=3.0),
    F.mse_loss,
    adam(3e-3),
    "regression",
    epochs=10,
)
WAVED_CHECKERS = Plan(
    "wave-features",
    checkers(),
    partial(waved, 2, 2),
    CLASSES,
    sgd(0.1, 0.9),
    "classes",
    epochs=12,
)
WAVED_SWISS = Plan(
    "wave-features",
    swiss(),
    partial(waved, 3, 1),
    SQUARES,
    sgd(0.05, 0.9),
    "regression",
    epochs=10,
    report="loss",
)

# -- bags ------------------------------------------------------------------------------------

POOLED_NEEDLES = Plan(
    "gated-pooling",
    needles(),
    partial(GatedPooling, STRAW_FEATURES, 1),
    YES_OR_NO,
    adam(3e-3),
    "logits",
    epochs=8,
    hand_in_loss=True,
)
POOLED_COLOURS = Plan(
    "gated-pooling",
    colours(960),
    partial(GatedPooling, 3, COLOURS),
    CLASSES,
    sgd(0.1, 0.9),
    "classes",
    epochs=8,
)
POOLED_SPREAD = Plan(
    "gated-pooling",
    spread(),
    partial(GatedPooling, 2, 1),
    SQUARES,
    adam(5e-3),
    "regression",
    epochs=10,
)

# -- pictures --------------------------------------------------------------------------------

ASYMMETRIC_STRIPES = Plan(
    "asymmetric-cnn",
    stripes(),
    partial(asymmetric, 1, DIRECTIONS),
    CLASSES,
    adam(5e-3),
    "classes",
    epochs=6,
)
ASYMMETRIC_MNIST = Plan(
    "asymmetric-cnn",
    mnist(960),
    partial(asymmetric, 1, 10),
    F.cross_entropy,
    sgd(0.02, 0.9),
    "classes",
    epochs=7,
)
ASYMMETRIC_SHAPES = Plan(
    "asymmetric-cnn",
    shapes(),
    partial(asymmetric, 1, SHAPES),
    CLASSES,
    adamw(5e-3),
    "classes",
    epochs=7,
    hand_in_loss=True,
)

# -- series and symbols ----------------------------------------------------------------------

LEAKY_LEAKY = Plan(
    "leaky-rnn",
    leaky(),
    partial(LeakyRnn, 2, 1),
    SQUARES,
    adam(5e-3),
    "regression",
    epochs=10,
)
LEAKY_PEAKS = Plan(
    "leaky-rnn",
    peaks(),
    partial(LeakyRnn, 1, PEAKS + 1),
    F.cross_entropy,
    adam(5e-3),
    "classes",
    epochs=8,
)
LEAKY_MOBY = Plan(
    "leaky-rnn",
    moby(960),
    partial(LeakyRnn, LETTERS, LETTERS, symbols=True, everywhere=True, width=40),
    next_symbol,
    adam(1e-2),
    "language",
    epochs=6,
    report="loss",
)
