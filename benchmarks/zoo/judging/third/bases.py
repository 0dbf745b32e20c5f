"""Sound plans of the third filling, one for each pair of architecture and data set."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ...data import changes
from ...data.arranged import (
    ATOM_KINDS,
    RHYTHMS,
    TEXTURES,
    brackets,
    molecules,
    pointing,
    rhythms,
    textures,
)
from ...data.books import LETTERS, critics
from ...data.drawn import SHAPES, shapes
from ...data.images import digits, mnist
from ...data.measured import (
    ALARM_FEATURES,
    GRADE_FEATURES,
    GRADES,
    ODDS_FEATURES,
    REGIONS,
    SALE_FEATURES,
    WAIT_FEATURES,
    alarms,
    grades,
    odds,
    regions,
    sales,
    terrain,
    waits,
)
from ...data.more_points import circuit
from ...data.more_sequences import masks
from ...data.points import TREES, forest, housing
from ...data.tables import friedman
from ...data.texts import TOPICS, WORDS, reuters
from ...losses import NextSymbolLoss
from ...optimizers import adam, adamw, cosine, sgd
from ...plan import Plan
from .networks.generative import Prototypes
from .networks.pictures import Dilated, joined, large_kernels, squeezed
from .networks.sequences import Asking, GraphAttention, Pointer, StateSpace, WaveNet
from .networks.tables import Additive, Bumps, Crossed, SoftTree, gated, sines

CLASSES = nn.CrossEntropyLoss()
YES_OR_NO = nn.BCEWithLogitsLoss()
SQUARES = nn.MSELoss()

# -- tables ----------------------------------------------------------------------------------

SINES_TERRAIN = Plan(
    "siren", terrain(), partial(sines, 2, 1), SQUARES, adam(2e-3), "regression", epochs=12
)
CROSSED_FOREST = Plan(
    "crossed",
    forest(),
    partial(Crossed, 20, TREES),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=8,
    hand_in_loss=True,
)
CROSSED_ALARMS = Plan(
    "crossed",
    alarms(),
    partial(Crossed, ALARM_FEATURES, 1),
    YES_OR_NO,
    sgd(0.02, 0.9),
    "logits",
    epochs=8,
)
CROSSED_SALES = Plan(
    "crossed",
    sales().changed(changes.targets(lambda y: y.log())),
    partial(Crossed, SALE_FEATURES, 1),
    F.mse_loss,
    adamw(2e-3),
    "regression",
    epochs=8,
)
GATED_GRADES = Plan(
    "gated-fc",
    grades(),
    partial(gated, GRADE_FEATURES, GRADES, depth=2, width=24),
    F.cross_entropy,
    adamw(2e-3, weight_decay=0.05),
    "classes",
    epochs=8,
)
GATED_HOUSING = Plan(
    "gated-fc", housing(), partial(gated, 8, 1), SQUARES, adam(2e-3), "regression", epochs=8
)
ADDITIVE_CIRCUIT = Plan(
    "additive",
    circuit(),
    partial(Additive, 4, 1, width=16),
    F.smooth_l1_loss,
    adam(5e-3),
    "regression",
    epochs=10,
)
ADDITIVE_ODDS = Plan(
    "additive",
    odds(),
    partial(Additive, ODDS_FEATURES, 3, depth=1),
    CLASSES,
    adam(5e-3),
    "classes",
    batch=48,
    epochs=6,
    scheduler=cosine(),
)
TREES_REGIONS = Plan(
    "soft-tree",
    regions(),
    partial(SoftTree, 2, REGIONS),
    CLASSES,
    adam(2e-2),
    "classes",
    epochs=10,
)
TREES_FRIEDMAN = Plan(
    "soft-tree", friedman(), partial(SoftTree, 10, 1), SQUARES, adam(2e-2), "regression", epochs=12
)
BUMPS_REGIONS = Plan(
    "bumps",
    regions(),
    partial(Bumps, 2, REGIONS),
    F.cross_entropy,
    adam(2e-2),
    "classes",
    epochs=10,
    report="loss",
)
PROTOTYPES_DIGITS = Plan(
    "prototypes",
    digits().changed(changes.flat()),
    partial(Prototypes, 64, 10),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=7,
)
GATED_WAITS = Plan(
    "gated-fc",
    waits(),
    partial(gated, WAIT_FEATURES, 1, depth=1, width=16),
    nn.L1Loss(),
    adam(2e-3),
    "regression",
    epochs=7,
    scheduler=cosine(),
)

# -- pictures --------------------------------------------------------------------------------

SQUEEZED_TEXTURES = Plan(
    "squeeze-cnn",
    textures(),
    partial(squeezed, 1, TEXTURES),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=7,
    hand_in_loss=True,
)
SQUEEZED_MNIST = Plan(
    "squeeze-cnn",
    mnist(1280),
    partial(squeezed, 1, 10, blocks=2),
    F.cross_entropy,
    sgd(0.05, 0.9),
    "classes",
    epochs=6,
)
JOINED_SHAPES = Plan(
    "joined-cnn",
    shapes(),
    partial(joined, 1, SHAPES),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=7,
    scheduler=cosine(),
)
KERNELS_DIGITS = Plan(
    "large-kernels",
    digits(),
    partial(large_kernels, 1, 10),
    CLASSES,
    adamw(2e-3),
    "classes",
    epochs=5,
)
KERNELS_TEXTURES = Plan(
    "large-kernels",
    textures(1280),
    partial(large_kernels, 1, TEXTURES),
    F.cross_entropy,
    adamw(3e-3),
    "classes",
    epochs=6,
    scheduler=cosine(),
)
DILATED_MASKS = Plan(
    "dilated",
    masks(320),
    partial(Dilated, 1, 1),
    YES_OR_NO,
    adam(5e-3),
    "logits",
    batch=16,
    epochs=6,
)

# -- sequences and graphs --------------------------------------------------------------------

WAVES_RHYTHMS = Plan(
    "wavenet",
    rhythms(960),
    partial(WaveNet, 1, RHYTHMS),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=10,
)
WAVES_CRITICS = Plan(
    "wavenet",
    critics(960),
    partial(WaveNet, LETTERS, LETTERS, symbols=True, width=32),
    NextSymbolLoss(),
    adam(5e-3),
    "language",
    epochs=6,
    report="loss",
)
STATES_BRACKETS = Plan(
    "state-space",
    brackets(1920),
    partial(StateSpace, 3, 5, symbols=True),
    CLASSES,
    adam(5e-3),
    "classes",
    epochs=8,
    scheduler=cosine(),
)
STATES_RHYTHMS = Plan(
    "state-space",
    rhythms(960),
    partial(StateSpace, 1, RHYTHMS, layers=3),
    F.cross_entropy,
    adam(5e-3),
    "classes",
    epochs=10,
)
ASKING_REUTERS = Plan(
    "asking",
    reuters(1280),
    partial(Asking, WORDS, TOPICS, symbols=True, dropout=0.3),
    CLASSES,
    adam(3e-3, weight_decay=1e-4),
    "classes",
    batch=40,
    epochs=6,
    scheduler=cosine(),
)
ASKING_DIGITS = Plan(
    "asking",
    digits().changed(changes.rows()),
    partial(Asking, 8, 10),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=8,
)
POINTER_POINTING = Plan(
    "pointer",
    pointing(),
    partial(Pointer, 2),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=7,
    hand_in_loss=True,
)
GRAPH_MOLECULES = Plan(
    "graph-attention",
    molecules(),
    partial(GraphAttention, ATOM_KINDS, 1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=10,
    scheduler=cosine(),
)
