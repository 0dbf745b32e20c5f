"""Sound plans of the second filling, one for each pair of architecture and data set."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ...data import changes
from ...data.books import LETTERS, VOCABULARY, critics, whale_words
from ...data.drawn import DIRECTIONS, SHAPES, shapes, stripes
from ...data.images import digits, mnist
from ...data.more_points import (
    COLOURS,
    PAIR_FEATURES,
    SHELL_FEATURES,
    SHELLS,
    checkers,
    circuit,
    colours,
    hastie,
    pairs,
    shells,
    spread,
    swiss,
)
from ...data.more_sequences import (
    SIDE,
    SIGNALS,
    TERMS,
    WAYS,
    adding,
    masks,
    motion,
    signals,
)
from ...data.sequences import KEYS, leaky, recall
from ...losses import NextSymbolLoss, next_symbol
from ...optimizers import adam, adamw, cosine, sgd
from ...plan import Plan
from ..networks.pictures import resnet, separable
from ..networks.sequences import BothWays, Stack, Tcn
from ..networks.tables import wide
from .networks.pictures import ConvLstm, Unet, inception, lenet
from .networks.sequences import AttentiveGru, LstmModel, Regressor
from .networks.tables import DeepSets, TwoTowers, highway, maxout

CLASSES = nn.CrossEntropyLoss()
YES_OR_NO = nn.BCEWithLogitsLoss()
SQUARES = nn.MSELoss()

# -- tables, pairs and bags ------------------------------------------------------------------

HIGHWAY_SHELLS = Plan(
    "highway",
    shells(),
    partial(highway, SHELL_FEATURES, SHELLS),
    CLASSES,
    sgd(0.05, 0.9),
    "classes",
    epochs=16,
)
HIGHWAY_SWISS = Plan(
    "highway", swiss(), partial(highway, 3, 1), SQUARES, adam(5e-3), "regression", epochs=16
)
MAXOUT_CHECKERS = Plan(
    "maxout",
    checkers(),
    partial(maxout, 2, 2),
    F.cross_entropy,
    adam(5e-3),
    "classes",
    epochs=16,
)
MAXOUT_HASTIE = Plan(
    "maxout",
    hastie().changed(changes.column()),
    partial(maxout, 10, 1, width=24),
    YES_OR_NO,
    sgd(0.03, 0.9, weight_decay=3e-3),
    "logits",
    epochs=12,
    hand_in_loss=True,
)
MAXOUT_CIRCUIT = Plan(
    "maxout", circuit(), partial(maxout, 4, 1), F.mse_loss, adamw(3e-3), "regression", epochs=12
)
TOWERS_PAIRS = Plan(
    "two-towers",
    pairs(),
    partial(TwoTowers, PAIR_FEATURES, 1),
    YES_OR_NO,
    adam(2e-3, weight_decay=1e-3),
    "logits",
    epochs=8,
    hand_in_loss=True,
)
SETS_SPREAD = Plan(
    "deep-sets", spread(), partial(DeepSets, 2, 1), SQUARES, adam(3e-3), "regression", epochs=14
)
SETS_COLOURS = Plan(
    "deep-sets",
    colours(),
    partial(DeepSets, 3, COLOURS),
    F.cross_entropy,
    sgd(0.05, 0.9),
    "classes",
    epochs=14,
)
WIDE_HASTIE = Plan(
    "wide-fc",
    hastie(),
    partial(wide, 10, 2, width=96),
    CLASSES,
    adam(3e-3, weight_decay=1e-3),
    "classes",
    epochs=8,
)

# -- pictures --------------------------------------------------------------------------------

LENET_DIGITS = Plan(
    "lenet",
    digits(),
    partial(lenet, 8, 10),
    CLASSES,
    sgd(0.05, 0.9),
    "classes",
    epochs=9,
    hand_in_loss=True,
)
LENET_SHAPES = Plan(
    "lenet",
    shapes(1280),
    partial(lenet, 16, SHAPES),
    F.cross_entropy,
    adam(2e-3),
    "classes",
    epochs=12,
    scheduler=cosine(),
)
INCEPTION_STRIPES = Plan(
    "inception",
    stripes(),
    partial(inception, 1, DIRECTIONS),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=9,
)
INCEPTION_MNIST = Plan(
    "inception",
    mnist(1280),
    partial(inception, 1, 10, dropout=0.2),
    F.cross_entropy,
    sgd(0.02, 0.9),
    "classes",
    epochs=7,
    report="loss",
    scheduler=cosine(),
)
UNET_MASKS = Plan(
    "unet",
    masks(480),
    partial(Unet, 1, 1, width=6),
    YES_OR_NO,
    adam(5e-3),
    "logits",
    epochs=7,
    batch=16,
    report="loss",
    hand_in_loss=True,
)
CONV_LSTM_MOTION = Plan(
    "conv-lstm",
    motion(),
    partial(ConvLstm, SIDE, WAYS),
    CLASSES,
    adam(5e-3),
    "classes",
    epochs=8,
)
RESNET_STRIPES = Plan(
    "resnet",
    stripes(),
    partial(resnet, 1, DIRECTIONS, blocks=2),
    CLASSES,
    sgd(0.03, 0.9),
    "classes",
    epochs=6,
    scheduler=cosine(),
)
SEPARABLE_SHAPES = Plan(
    "separable-cnn",
    shapes(),
    partial(separable, 1, SHAPES),
    F.cross_entropy,
    adam(5e-3),
    "classes",
    epochs=10,
    scheduler=cosine(),
)

# -- series and symbols ----------------------------------------------------------------------

TCN_SIGNALS = Plan(
    "tcn", signals(), partial(Tcn, 1, SIGNALS), CLASSES, adam(3e-3), "classes", epochs=12
)
GRU_SIGNALS = Plan(
    "attentive-gru",
    signals(),
    partial(AttentiveGru, 1, SIGNALS),
    F.cross_entropy,
    adam(5e-3),
    "classes",
    epochs=12,
)
GRU_ADDING = Plan(
    "attentive-gru",
    adding(),
    partial(AttentiveGru, 2, 1),
    SQUARES,
    adam(5e-3),
    "regression",
    epochs=12,
    clip=1.0,
)
REGRESSOR_ADDING = Plan(
    "transformer-regressor",
    adding(),
    partial(Regressor, 2, 1, longest=TERMS),
    F.mse_loss,
    adamw(2e-3),
    "regression",
    epochs=6,
)
REGRESSOR_LEAKY = Plan(
    "transformer-regressor",
    leaky(1280),
    partial(Regressor, 2, 1, longest=12),
    SQUARES,
    adam(2e-3),
    "regression",
    epochs=10,
    hand_in_loss=True,
)
ELMAN_LEAKY = Plan(
    "elman-stack",
    leaky(1280),
    partial(Stack, nn.RNN, 2, 1),
    F.mse_loss,
    adam(3e-3),
    "regression",
    epochs=12,
    clip=1.0,
)
LSTM_CRITICS = Plan(
    "lstm-model",
    critics(960),
    partial(LstmModel, LETTERS),
    next_symbol,
    adam(1e-2),
    "language",
    epochs=8,
    report="nothing",
)
LSTM_WORDS = Plan(
    "lstm-model",
    whale_words(1280),
    partial(LstmModel, VOCABULARY, dropout=0.2),
    NextSymbolLoss(),
    adam(5e-3),
    "language",
    epochs=6,
    report="loss",
    hand_in_loss=True,
)
BOTH_RECALL = Plan(
    "bi-lstm",
    recall(),
    partial(BothWays, 2 * KEYS, KEYS),
    CLASSES,
    adam(1e-2),
    "classes",
    epochs=6,
)
