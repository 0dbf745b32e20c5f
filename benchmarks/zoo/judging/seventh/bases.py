"""Sound plans of the seventh filling, one for each pair of architecture and data set."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ...data import changes
from ...data.arranged import TEXTURES, textures
from ...data.books import LETTERS, critics
from ...data.composed import clocks
from ...data.drawn import DIRECTIONS, stripes
from ...data.gathered import STRAW_FEATURES, needles
from ...data.images import digits, mnist
from ...data.invented import (
    LIQUIDS,
    LOAN_FEATURES,
    MOVES,
    QUARTERS,
    TOWERS,
    liquids,
    loans,
    orbits,
    towers,
    walks,
)
from ...data.measured import REGIONS, regions
from ...data.more_points import (
    COLOURS,
    SHELL_FEATURES,
    SHELLS,
    circuit,
    colours,
    shells,
    spread,
    swiss,
)
from ...data.points import TAGS, TREES, forest, housing, tags
from ...data.sequences import SYMBOLS, leaky, majority
from ...losses import next_symbol
from ...optimizers import adam, adamw, sgd
from ...plan import Plan
from .networks.pictures import Axial, dense, placed
from .networks.sequences import Clockwork, Nearest, Readers
from .networks.tables import bilinear, grouped, remembering

CLASSES = nn.CrossEntropyLoss()
YES_OR_NO = nn.BCEWithLogitsLoss()
SQUARES = nn.MSELoss()
FLAT_DIGITS = digits().changed(changes.flat())

# -- tables ----------------------------------------------------------------------------------

BILINEAR_LIQUIDS = Plan(
    "bilinear-fc",
    liquids(),
    partial(bilinear, LIQUIDS, 1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=10,
)
BILINEAR_DIGITS = Plan(
    "bilinear-fc",
    FLAT_DIGITS,
    partial(bilinear, 64, 10),
    F.cross_entropy,
    adamw(2e-3),
    "classes",
    epochs=8,
)
BILINEAR_LOANS = Plan(
    "bilinear-fc",
    loans(),
    partial(bilinear, LOAN_FEATURES, 1, width=16),
    YES_OR_NO,
    adam(2e-3),
    "logits",
    epochs=7,
    hand_in_loss=True,
)
BILINEAR_CIRCUIT = Plan(
    "bilinear-fc",
    circuit(),
    partial(bilinear, 4, 1),
    F.mse_loss,
    sgd(0.02, 0.9),
    "regression",
    epochs=10,
)
GROUPED_FOREST = Plan(
    "grouped-fc",
    forest(),
    partial(grouped, 20, TREES),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=8,
    hand_in_loss=True,
)
GROUPED_HOUSING = Plan(
    "grouped-fc",
    housing(),
    partial(grouped, 8, 1),
    SQUARES,
    sgd(0.005, 0.9),
    "regression",
    epochs=9,
)
GROUPED_DIGITS = Plan(
    "grouped-fc",
    FLAT_DIGITS,
    partial(grouped, 64, 10),
    F.cross_entropy,
    sgd(0.01, 0.9),
    "classes",
    epochs=8,
)
GROUPED_TAGS = Plan(
    "grouped-fc",
    tags(),
    partial(grouped, 30, TAGS, depth=2),
    YES_OR_NO,
    adamw(2e-3),
    "logits",
    epochs=6,
)
REMEMBERING_REGIONS = Plan(
    "memory-fc",
    regions(),
    partial(remembering, 2, REGIONS),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=10,
)
REMEMBERING_SWISS = Plan(
    "memory-fc",
    swiss(),
    partial(remembering, 3, 1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=10,
    report="loss",
)
REMEMBERING_LOANS = Plan(
    "memory-fc",
    loans(),
    partial(remembering, LOAN_FEATURES, 1, width=24),
    F.binary_cross_entropy_with_logits,
    sgd(0.05, 0.9),
    "logits",
    epochs=7,
)
REMEMBERING_SHELLS = Plan(
    "memory-fc",
    shells(),
    partial(remembering, SHELL_FEATURES, SHELLS),
    CLASSES,
    sgd(0.02, 0.9),
    "classes",
    epochs=10,
    hand_in_loss=True,
)

# -- pictures --------------------------------------------------------------------------------

DENSE_TOWERS = Plan(
    "dense-cnn",
    towers(),
    partial(dense, 1, TOWERS),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=7,
)
DENSE_MNIST = Plan(
    "dense-cnn",
    mnist(960),
    partial(dense, 1, 10),
    F.cross_entropy,
    sgd(0.02, 0.9),
    "classes",
    epochs=7,
)
DENSE_CLOCKS = Plan(
    "dense-cnn",
    clocks(),
    partial(dense, 1, 2, blocks=3),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=7,
    report="loss",
)
PLACED_TOWERS = Plan(
    "local-fc",
    towers(),
    partial(placed, 12, TOWERS),
    CLASSES,
    adam(1e-3),
    "classes",
    epochs=8,
    hand_in_loss=True,
)
PLACED_DIGITS = Plan(
    "local-fc",
    digits(),
    partial(placed, 8, 10),
    F.cross_entropy,
    sgd(0.01, 0.9),
    "classes",
    epochs=8,
)
PLACED_STRIPES = Plan(
    "local-fc",
    stripes(1920),
    partial(placed, 12, DIRECTIONS, patch=4, width=12),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=8,
)
AXIAL_TOWERS = Plan(
    "axial-attention",
    towers(),
    partial(Axial, 12, TOWERS),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=8,
)
AXIAL_DIGITS = Plan(
    "axial-attention",
    digits(),
    partial(Axial, 8, 10, width=24),
    F.cross_entropy,
    adamw(3e-3),
    "classes",
    epochs=8,
)
AXIAL_TEXTURES = Plan(
    "axial-attention",
    textures(),
    partial(Axial, 12, TEXTURES),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=8,
    hand_in_loss=True,
)

# -- series, symbols and bags ----------------------------------------------------------------

CLOCKWORK_ORBITS = Plan(
    "clockwork-rnn",
    orbits(),
    partial(Clockwork, 2, 1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=10,
)
CLOCKWORK_WALKS = Plan(
    "clockwork-rnn",
    walks(),
    partial(Clockwork, MOVES, QUARTERS, symbols=True),
    CLASSES,
    adam(5e-3),
    "classes",
    epochs=8,
)
CLOCKWORK_CRITICS = Plan(
    "clockwork-rnn",
    critics(960),
    partial(Clockwork, LETTERS, LETTERS, symbols=True, everywhere=True, width=48),
    next_symbol,
    adam(5e-3),
    "language",
    epochs=6,
    report="loss",
)
READERS_WALKS = Plan(
    "few-readers",
    walks(),
    partial(Readers, MOVES, QUARTERS, symbols=True),
    CLASSES,
    adamw(3e-3),
    "classes",
    epochs=8,
)
READERS_MAJORITY = Plan(
    "few-readers",
    majority(),
    partial(Readers, SYMBOLS, SYMBOLS, symbols=True),
    F.cross_entropy,
    adam(3e-3),
    "classes",
    epochs=8,
)
READERS_LEAKY = Plan(
    "few-readers",
    leaky(1280),
    partial(Readers, 2, 1, layers=2),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=8,
)
NEAREST_SPREAD = Plan(
    "nearest-points",
    spread(),
    partial(Nearest, 2, 1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=8,
)
NEAREST_COLOURS = Plan(
    "nearest-points",
    colours(960),
    partial(Nearest, 3, COLOURS),
    CLASSES,
    sgd(0.05, 0.9),
    "classes",
    epochs=8,
    hand_in_loss=True,
)
NEAREST_NEEDLES = Plan(
    "nearest-points",
    needles(),
    partial(Nearest, STRAW_FEATURES, 1),
    YES_OR_NO,
    adam(3e-3),
    "logits",
    epochs=8,
)
