"""Sound plans of the eighth filling, one for each pair of architecture and data set."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ...data import changes
from ...data.arranged import ATOM_KINDS, TEXTURES, molecules, textures
from ...data.composed import BINS, DAYS, LEVELS, SUBSTANCES, clocks, demand, levels, spectra
from ...data.drawn import DIRECTIONS, stripes
from ...data.gathered import ARM_FEATURES, PEAKS, STRAW_FEATURES, STRAWS, arms, needles, peaks
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
from ...data.measured import REGIONS, SALE_FEATURES, regions, sales
from ...data.more_points import BAG, COLOURS, SHELL_FEATURES, SHELLS, colours, shells, spread
from ...data.more_sequences import SIGNALS, signals
from ...data.points import TAGS, TREES, forest, housing, tags
from ...data.sequences import SYMBOLS, majority
from ...data.structured import NODE_FEATURES, TAG_KINDS, TAG_WORDS, graphs, tagging
from ...losses import next_symbol
from ...optimizers import adam, adamw, sgd
from ...plan import Plan
from ...wider.objectives import TagLoss
from .networks.pictures import TwoScales, patch_mixer
from .networks.sequences import Diffusing, MinimalGated, RelativeReader, SortedPooling
from .networks.tables import Committee, Heads, Staged, keeping_scale

CLASSES = nn.CrossEntropyLoss()
YES_OR_NO = nn.BCEWithLogitsLoss()
SQUARES = nn.MSELoss()
FLAT_DIGITS = digits().changed(changes.flat())

# -- tables ----------------------------------------------------------------------------------

STAGED_LIQUIDS = Plan(
    "staged-fc",
    liquids(),
    partial(Staged, LIQUIDS, 1),
    SQUARES,
    adam(2e-3),
    "regression",
    epochs=10,
)
STAGED_SHELLS = Plan(
    "staged-fc",
    shells(),
    partial(Staged, SHELL_FEATURES, SHELLS),
    CLASSES,
    sgd(0.02, 0.9),
    "classes",
    epochs=10,
    hand_in_loss=True,
)
STAGED_LOANS = Plan(
    "staged-fc",
    loans(),
    partial(Staged, LOAN_FEATURES, 1, stages=2, width=12),
    YES_OR_NO,
    adam(1e-3),
    "logits",
    epochs=7,
)
STAGED_DEMAND = Plan(
    "staged-fc",
    demand().changed(changes.flat()),
    partial(Staged, DAYS, 1, stages=2),
    nn.HuberLoss(),
    adam(2e-3),
    "regression",
    epochs=9,
)
HEADS_TAGS = Plan(
    "several-heads",
    tags(),
    partial(Heads, 30, (1,) * TAGS, dropout=0.1),
    YES_OR_NO,
    adam(2e-3),
    "logits",
    epochs=6,
)
HEADS_ARMS = Plan(
    "several-heads",
    arms(),
    partial(Heads, ARM_FEATURES, (1, 1)),
    SQUARES,
    adam(2e-3),
    "regression",
    epochs=10,
    report="loss",
)
HEADS_DIGITS = Plan(
    "several-heads",
    FLAT_DIGITS,
    partial(Heads, 64, answers=(10,), norm=True),
    F.cross_entropy,
    sgd(0.02, 0.9),
    "classes",
    epochs=7,
)
COMMITTEE_FOREST = Plan(
    "committee-fc",
    forest(),
    partial(Committee, 20, TREES),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=8,
    hand_in_loss=True,
)
COMMITTEE_HOUSING = Plan(
    "committee-fc",
    housing(),
    partial(Committee, 8, outputs=1),
    SQUARES,
    adam(1e-3),
    "regression",
    epochs=9,
)
COMMITTEE_REGIONS = Plan(
    "committee-fc",
    regions(),
    partial(Committee, 2, REGIONS, activation=nn.Tanh),
    CLASSES,
    adam(5e-3),
    "classes",
    epochs=10,
)
COMMITTEE_SPECTRA = Plan(
    "committee-fc",
    spectra().changed(changes.flat()),
    partial(Committee, BINS, SUBSTANCES),
    YES_OR_NO,
    adam(2e-3),
    "logits",
    epochs=7,
)
SCALE_DIGITS = Plan(
    "self-scaling-fc",
    FLAT_DIGITS,
    partial(keeping_scale, 64, 10),
    F.cross_entropy,
    sgd(0.01, 0.9),
    "classes",
    epochs=7,
)
SCALE_SALES = Plan(
    "self-scaling-fc",
    sales(2560).changed(changes.targets(lambda price: price.log())),
    partial(keeping_scale, SALE_FEATURES, 1, depth=4),
    nn.SmoothL1Loss(),
    adam(2e-3),
    "regression",
    epochs=8,
)
SCALE_LOANS = Plan(
    "self-scaling-fc",
    loans(),
    partial(keeping_scale, LOAN_FEATURES, 1, width=16, depth=4),
    F.binary_cross_entropy_with_logits,
    adamw(1e-3),
    "logits",
    epochs=6,
)

# -- pictures --------------------------------------------------------------------------------

SCALES_TOWERS = Plan(
    "two-scales-cnn",
    towers(),
    partial(TwoScales, 1, TOWERS),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=7,
)
SCALES_MNIST = Plan(
    "two-scales-cnn",
    mnist(1600),
    partial(TwoScales, 1, 10),
    F.cross_entropy,
    sgd(0.02, 0.9),
    "classes",
    epochs=6,
)
SCALES_CLOCKS = Plan(
    "two-scales-cnn",
    clocks(),
    partial(TwoScales, 1, 2, groups=3),
    SQUARES,
    adam(2e-3),
    "regression",
    epochs=8,
    report="loss",
)
MIXER_STRIPES = Plan(
    "conv-mixer",
    stripes(),
    partial(patch_mixer, 1, DIRECTIONS),
    CLASSES,
    adamw(3e-3),
    "classes",
    epochs=7,
)
MIXER_DIGITS = Plan(
    "conv-mixer",
    digits(),
    partial(patch_mixer, 1, 10),
    F.cross_entropy,
    adam(2e-3),
    "classes",
    epochs=7,
    hand_in_loss=True,
)
MIXER_TEXTURES = Plan(
    "conv-mixer",
    textures(),
    partial(patch_mixer, 1, TEXTURES),
    CLASSES,
    sgd(0.02, 0.9),
    "classes",
    epochs=7,
)

# -- series and symbols ----------------------------------------------------------------------

GATED_ORBITS = Plan(
    "minimal-gated-rnn",
    orbits(),
    partial(MinimalGated, 2, 1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=9,
)
GATED_WALKS = Plan(
    "minimal-gated-rnn",
    walks(),
    partial(MinimalGated, MOVES, QUARTERS, symbols=True),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=8,
)
GATED_LEVELS = Plan(
    "minimal-gated-rnn",
    levels(),
    partial(MinimalGated, 1, LEVELS, everywhere=True, width=24),
    next_symbol,
    adam(3e-3),
    "language",
    epochs=8,
    report="loss",
)
RELATIVE_MAJORITY = Plan(
    "relative-attention",
    majority(),
    partial(RelativeReader, SYMBOLS, SYMBOLS, symbols=True),
    F.cross_entropy,
    adam(2e-3),
    "classes",
    epochs=7,
)
RELATIVE_TAGGING = Plan(
    "relative-attention",
    tagging(1280),
    partial(RelativeReader, TAG_WORDS, TAG_KINDS, symbols=True, everywhere=True),
    TagLoss(),
    adamw(5e-3),
    "language",
    epochs=9,
    report="loss",
)
RELATIVE_SIGNALS = Plan(
    "relative-attention",
    signals(),
    partial(RelativeReader, 1, SIGNALS, width=24),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=10,
)
RELATIVE_PEAKS = Plan(
    "relative-attention",
    peaks(),
    partial(RelativeReader, 1, PEAKS + 1),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=8,
)

# -- bags and graphs -------------------------------------------------------------------------

SORTED_SPREAD = Plan(
    "sorted-pooling",
    spread(),
    partial(SortedPooling, 2, 1, points=BAG),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=8,
)
SORTED_COLOURS = Plan(
    "sorted-pooling",
    colours(960),
    partial(SortedPooling, 3, COLOURS, points=BAG),
    CLASSES,
    sgd(0.02, 0.9),
    "classes",
    epochs=8,
    hand_in_loss=True,
)
SORTED_NEEDLES = Plan(
    "sorted-pooling",
    needles(),
    partial(SortedPooling, STRAW_FEATURES, 1, points=STRAWS),
    YES_OR_NO,
    adam(3e-3),
    "logits",
    epochs=8,
)
DIFFUSING_GRAPHS = Plan(
    "diffusing-graph",
    graphs(1920),
    partial(Diffusing, NODE_FEATURES, 1, times=1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=8,
)
DIFFUSING_MOLECULES = Plan(
    "diffusing-graph",
    molecules(),
    partial(Diffusing, ATOM_KINDS, 1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=9,
    report="loss",
)
