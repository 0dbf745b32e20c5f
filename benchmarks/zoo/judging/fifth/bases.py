"""Sound plans of the fifth filling, one for each pair of architecture and data set."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ...data import changes
from ...data.arranged import RHYTHMS, TEXTURES, rhythms, textures
from ...data.books import LETTERS, VOCABULARY, articles, austen
from ...data.composed import (
    FIGURES,
    LEVELS,
    LIFE_FEATURES,
    LIST_FEATURES,
    SUBSTANCES,
    clocks,
    comparing,
    demand,
    levels,
    lifetimes,
    lists,
    spectra,
)
from ...data.drawn import SHAPES, shapes
from ...data.images import digits, mnist
from ...data.measured import ALARM_FEATURES, GRADE_FEATURES, GRADES, alarms, grades, terrain
from ...data.more_points import COLOURS, SHELL_FEATURES, SHELLS, circuit, colours, shells, spread
from ...data.more_sequences import SIGNALS, signals
from ...data.points import TREES, forest, housing
from ...data.texts import TOPICS, WORDS, reuters
from ...losses import NextSymbolLoss, next_symbol
from ...optimizers import adam, adamw, cosine, sgd
from ...plan import Plan
from .networks.pictures import coordinates, shuffled
from .networks.sequences import FourierMixer, LinearAttention, QuasiRnn, Relation
from .networks.tables import Fields, Looped, splines
from .objectives import Censored, Listwise

CLASSES = nn.CrossEntropyLoss()
YES_OR_NO = nn.BCEWithLogitsLoss()
SQUARES = nn.MSELoss()

# -- tables ----------------------------------------------------------------------------------

SPLINES_CIRCUIT = Plan(
    "spline-fc", circuit(), partial(splines, 4, 1), SQUARES, adam(5e-3), "regression", epochs=12
)
SPLINES_TERRAIN = Plan(
    "spline-fc",
    terrain(960),
    partial(splines, 2, 1, width=16, knots=8),
    F.mse_loss,
    adam(1e-2),
    "regression",
    epochs=10,
    scheduler=cosine(),
)
SPLINES_SHELLS = Plan(
    "spline-fc",
    shells(),
    partial(splines, SHELL_FEATURES, SHELLS),
    CLASSES,
    sgd(0.05, 0.9),
    "classes",
    epochs=10,
    hand_in_loss=True,
)
FIELDS_FOREST = Plan(
    "field-attention",
    forest(),
    partial(Fields, 20, TREES),
    CLASSES,
    adamw(3e-3),
    "classes",
    epochs=8,
)
FIELDS_GRADES = Plan(
    "field-attention",
    grades(),
    partial(Fields, GRADE_FEATURES, GRADES),
    F.cross_entropy,
    adam(2e-3),
    "classes",
    epochs=8,
)
FIELDS_HOUSING = Plan(
    "field-attention", housing(), partial(Fields, 8, 1), SQUARES, adam(2e-3), "regression", epochs=9
)
FIELDS_LIFETIMES = Plan(
    "field-attention",
    lifetimes(),
    partial(Fields, LIFE_FEATURES, 1, layers=1),
    Censored(),
    adam(2e-3),
    "none",
    epochs=8,
    report="loss",
    scheduler=cosine(),
)
LOOPED_SHELLS = Plan(
    "looped-fc",
    shells(),
    partial(Looped, SHELL_FEATURES, SHELLS),
    F.cross_entropy,
    adam(3e-3),
    "classes",
    epochs=10,
)
LOOPED_HOUSING = Plan(
    "looped-fc", housing(), partial(Looped, 8, 1), SQUARES, adam(2e-3), "regression", epochs=10
)
LOOPED_ALARMS = Plan(
    "looped-fc",
    alarms(),
    partial(Looped, ALARM_FEATURES, 1, loops=3),
    YES_OR_NO,
    sgd(0.05, 0.9),
    "logits",
    epochs=7,
    hand_in_loss=True,
)
LOOPED_DIGITS = Plan(
    "looped-fc",
    digits().changed(changes.flat()),
    partial(Looped, 64, 10, width=48, loops=3),
    CLASSES,
    sgd(0.05, 0.9),
    "classes",
    epochs=8,
)

# -- pictures --------------------------------------------------------------------------------

SHUFFLED_SHAPES = Plan(
    "shuffle-cnn",
    shapes(),
    partial(shuffled, 1, SHAPES),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=8,
    hand_in_loss=True,
)
SHUFFLED_MNIST = Plan(
    "shuffle-cnn",
    mnist(1280),
    partial(shuffled, 1, 10),
    F.cross_entropy,
    sgd(0.03, 0.9),
    "classes",
    epochs=7,
)
COORDINATES_CLOCKS = Plan(
    "coordinate-cnn",
    clocks(),
    partial(coordinates, 1, 2),
    SQUARES,
    adam(2e-3),
    "regression",
    epochs=8,
    report="loss",
)
COORDINATES_DIGITS = Plan(
    "coordinate-cnn",
    digits(),
    partial(coordinates, 1, 10, blocks=2),
    CLASSES,
    sgd(0.05, 0.9),
    "classes",
    epochs=7,
)
COORDINATES_TEXTURES = Plan(
    "coordinate-cnn",
    textures(),
    partial(coordinates, 1, TEXTURES, activation=nn.ReLU),
    F.cross_entropy,
    adamw(3e-3),
    "classes",
    epochs=8,
)

# -- series, symbols and sets ----------------------------------------------------------------

QUASI_LEVELS = Plan(
    "quasi-rnn",
    levels(),
    partial(QuasiRnn, 1, LEVELS, everywhere=True),
    NextSymbolLoss(),
    adam(5e-3),
    "classes",
    epochs=8,
    hand_in_loss=True,
)
QUASI_DEMAND = Plan(
    "quasi-rnn",
    demand(),
    partial(QuasiRnn, 1, 1, width=32),
    SQUARES,
    adam(5e-3),
    "regression",
    epochs=8,
)
QUASI_AUSTEN = Plan(
    "quasi-rnn",
    austen(960),
    partial(QuasiRnn, LETTERS, LETTERS, symbols=True, everywhere=True, width=40),
    next_symbol,
    adam(1e-2),
    "language",
    epochs=7,
    report="loss",
)
LINEAR_COMPARING = Plan(
    "linear-attention",
    comparing(),
    partial(LinearAttention, FIGURES, 1),
    YES_OR_NO,
    adamw(3e-3),
    "logits",
    epochs=8,
)
LINEAR_RHYTHMS = Plan(
    "linear-attention",
    rhythms(960),
    partial(LinearAttention, 1, RHYTHMS, symbols=False),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=10,
)
LINEAR_ARTICLES = Plan(
    "linear-attention",
    articles(1280),
    partial(LinearAttention, VOCABULARY, VOCABULARY, everywhere=True, dropout=0.1),
    NextSymbolLoss(),
    adamw(5e-3),
    "language",
    epochs=6,
    report="loss",
)
FOURIER_SIGNALS = Plan(
    "fourier-mixer",
    signals(),
    partial(FourierMixer, 1, SIGNALS),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=10,
)
FOURIER_SPECTRA = Plan(
    "fourier-mixer",
    spectra(),
    partial(FourierMixer, 1, SUBSTANCES),
    YES_OR_NO,
    adam(3e-3),
    "logits",
    epochs=8,
    hand_in_loss=True,
)
FOURIER_REUTERS = Plan(
    "fourier-mixer",
    reuters(1280),
    partial(FourierMixer, WORDS, TOPICS, symbols=True, layers=1, dropout=0.3),
    F.cross_entropy,
    adam(5e-3),
    "classes",
    batch=40,
    epochs=8,
    scheduler=cosine(),
)
RELATION_COLOURS = Plan(
    "relation",
    colours(960),
    partial(Relation, 3, COLOURS),
    F.cross_entropy,
    sgd(0.03, 0.9),
    "classes",
    epochs=8,
)
RELATION_SPREAD = Plan(
    "relation", spread(), partial(Relation, 2, 1), SQUARES, adam(3e-3), "regression", epochs=8
)
RELATION_LISTS = Plan(
    "relation",
    lists(),
    partial(Relation, LIST_FEATURES, 1, each=True),
    Listwise(),
    adam(3e-3),
    "none",
    epochs=8,
    report="loss",
)
