"""Sound plans of the judging half, one for each pair of architecture and data set."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from ..data import changes
from ..data.books import LETTERS, VOCABULARY, articles, austen, encyclopedia, moby
from ..data.drawn import DIRECTIONS, SHAPES, shapes, stripes
from ..data.images import cifar10, digits, mnist
from ..data.points import (
    CATEGORIES,
    COLUMNS,
    TREES,
    cancer,
    forest,
    housing,
    moons,
    shop,
    spirals,
    wave,
)
from ..data.sequences import KEYS, NUMBERS, SYMBOLS, leaky, majority, recall, sines, sorting
from ..data.tables import CURRENCIES, exchange, friedman
from ..data.texts import TOPICS, WORDS, imdb, reuters
from ..losses import NextSymbolLoss, next_symbol
from ..optimizers import adam, adamw, cosine, rmsprop, sgd
from ..plan import Plan
from .networks.pictures import Mixer, VisionTransformer, resnet, separable, vgg
from .networks.sequences import BothWays, Encoder, Gpt, Stack, Tcn, TextCnn
from .networks.tables import Dense, Factors, funnel, wide

CLASSES = nn.CrossEntropyLoss()
YES_OR_NO = nn.BCEWithLogitsLoss()
SQUARES = nn.MSELoss()

# -- tables and points -----------------------------------------------------------------------

FUNNEL_MOONS = Plan(
    "funnel-fc", moons(), partial(funnel, 2, 2), CLASSES, sgd(0.05, 0.9), "classes", epochs=16
)
FUNNEL_FOREST = Plan(
    "funnel-fc",
    forest(),
    partial(funnel, 20, TREES, widths=(96, 48, 24)),
    F.cross_entropy,
    adam(2e-3),
    "classes",
    epochs=10,
)
FUNNEL_HOUSING = Plan(
    "funnel-fc", housing(), partial(funnel, 8, 1), SQUARES, adamw(5e-3), "regression", epochs=11
)
WIDE_SPIRALS = Plan(
    "wide-fc", spirals(), partial(wide, 2, 3), CLASSES, adam(5e-3), "classes", epochs=14
)
WIDE_CANCER = Plan(
    "wide-fc",
    cancer().changed(changes.column()),
    partial(wide, 30, 1, depth=1),
    YES_OR_NO,
    sgd(0.02, 0.9, weight_decay=3e-2),
    "logits",
    batch=16,
    epochs=18,
    hand_in_loss=True,
)
WIDE_WAVE = Plan(
    "wide-fc", wave(), partial(wide, 1, 1), F.mse_loss, rmsprop(1e-3), "regression", epochs=14
)
DENSE_FRIEDMAN = Plan(
    "dense-fc",
    friedman(),
    partial(Dense, 10, 1),
    F.smooth_l1_loss,
    adam(1e-2),
    "regression",
    epochs=12,
)
DENSE_DIGITS = Plan(
    "dense-fc",
    digits().changed(changes.flat()),
    partial(Dense, 64, 10),
    CLASSES,
    sgd(0.05, 0.9),
    "classes",
    epochs=9,
    hand_in_loss=True,
)
FACTORS_SHOP = Plan(
    "factors",
    shop(),
    partial(Factors, CATEGORIES * COLUMNS, 1),
    YES_OR_NO,
    adam(5e-3, weight_decay=1e-4),
    "logits",
    batch=48,
    epochs=7,
)

# -- pictures --------------------------------------------------------------------------------

VGG_MNIST = Plan(
    "vgg",
    mnist(1280),
    partial(vgg, 1, 10),
    CLASSES,
    sgd(0.01, 0.9),
    "classes",
    epochs=7,
    hand_in_loss=True,
)
VGG_SHAPES = Plan(
    "vgg", shapes(), partial(vgg, 1, SHAPES), F.cross_entropy, adam(3e-3), "classes", epochs=10
)
SEPARABLE_STRIPES = Plan(
    "separable-cnn",
    stripes(),
    partial(separable, 1, DIRECTIONS),
    CLASSES,
    adamw(3e-3),
    "classes",
    epochs=10,
)
SEPARABLE_DIGITS = Plan(
    "separable-cnn",
    digits(960),
    partial(separable, 1, 10),
    F.cross_entropy,
    sgd(0.1, 0.9),
    "classes",
    epochs=10,
    report="loss",
)
RESNET_CIFAR10 = Plan(
    "resnet",
    cifar10(),
    partial(resnet, 3, 10, blocks=2, dropout=0.3),
    CLASSES,
    sgd(0.03, 0.9, weight_decay=1e-3),
    "classes",
    batch=64,
    epochs=8,
)
RESNET_SHAPES = Plan(
    "resnet",
    shapes(),
    partial(resnet, 1, SHAPES, blocks=2),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=8,
    scheduler=cosine(),
)
VIT_DIGITS = Plan(
    "vit",
    digits(),
    partial(VisionTransformer, 1, 10, patch=2, patches=16, layers=1),
    CLASSES,
    adamw(4e-3),
    "classes",
    epochs=10,
    hand_in_loss=True,
)
VIT_STRIPES = Plan(
    "vit",
    stripes(),
    partial(VisionTransformer, 1, DIRECTIONS, patch=3, patches=16),
    F.cross_entropy,
    adamw(2e-3),
    "classes",
    epochs=8,
)
MIXER_STRIPES = Plan(
    "mixer",
    stripes(),
    partial(Mixer, 1, DIRECTIONS, patch=3, patches=16),
    F.cross_entropy,
    adamw(2e-3),
    "classes",
    epochs=10,
    report="loss",
)
MIXER_DIGITS = Plan(
    "mixer",
    digits(),
    partial(Mixer, 1, 10, patch=2, patches=16),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=7,
)

# -- series and symbols ----------------------------------------------------------------------

TCN_SINES = Plan("tcn", sines(), partial(Tcn, 1, 1), SQUARES, adam(3e-3), "regression", epochs=12)
TCN_EXCHANGE = Plan(
    "tcn",
    exchange(),
    partial(Tcn, CURRENCIES, CURRENCIES),
    F.mse_loss,
    adam(2e-3),
    "regression",
    epochs=10,
)
ELMAN_SINES = Plan(
    "elman-stack",
    sines(),
    partial(Stack, nn.RNN, 1, 1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=12,
    clip=1.0,
)
GRU_LEAKY = Plan(
    "stacked-gru",
    leaky(),
    partial(Stack, nn.GRU, 2, 1),
    F.mse_loss,
    adam(5e-3),
    "regression",
    epochs=12,
)
GRU_MOBY = Plan(
    "stacked-gru",
    moby(1120),
    partial(Stack, nn.GRU, LETTERS, LETTERS, hidden=40, symbols=True),
    NextSymbolLoss(),
    adam(1e-2),
    "language",
    epochs=7,
    report="nothing",
    hand_in_loss=True,
)
BOTH_MAJORITY = Plan(
    "bi-lstm",
    majority(),
    partial(BothWays, SYMBOLS, SYMBOLS),
    CLASSES,
    adam(5e-3),
    "classes",
    epochs=8,
)
BOTH_REUTERS = Plan(
    "bi-lstm",
    reuters(1280),
    partial(BothWays, WORDS, TOPICS, dropout=0.3),
    CLASSES,
    adam(5e-3, weight_decay=1e-4),
    "classes",
    batch=40,
    epochs=8,
)
TEXT_CNN_REUTERS = Plan(
    "text-cnn",
    reuters(),
    partial(TextCnn, WORDS, TOPICS, dropout=0.3),
    F.cross_entropy,
    adam(2e-3, weight_decay=3e-4),
    "classes",
    batch=48,
    epochs=8,
)
TEXT_CNN_IMDB = Plan(
    "text-cnn",
    imdb(3840).changed(changes.column()),
    partial(TextCnn, WORDS, 1, width=16, dropout=0.5),
    YES_OR_NO,
    adam(2e-3, weight_decay=1e-3),
    "logits",
    batch=96,
    epochs=8,
    hand_in_loss=True,
)
GPT_AUSTEN = Plan(
    "gpt",
    austen(960),
    partial(Gpt, LETTERS),
    next_symbol,
    adamw(4e-3),
    "language",
    epochs=8,
    report="nothing",
)
GPT_WIKITEXT = Plan(
    "gpt",
    articles(1280),
    partial(Gpt, VOCABULARY, width=32, dropout=0.1),
    NextSymbolLoss(),
    adamw(2e-3, weight_decay=0.1),
    "language",
    epochs=6,
    report="loss",
    hand_in_loss=True,
)
GPT_ENWIK8 = GPT_AUSTEN.but(source=encyclopedia(960), loss=NextSymbolLoss(), report="loss")
ENCODER_SORTING = Plan(
    "post-norm-encoder",
    sorting(),
    partial(Encoder, NUMBERS, NUMBERS, everywhere=True),
    next_symbol,
    adam(2e-3),
    "language",
    epochs=10,
    report="loss",
)
ENCODER_RECALL = Plan(
    "post-norm-encoder",
    recall(),
    partial(Encoder, 2 * KEYS, KEYS),
    CLASSES,
    adam(2e-3),
    "classes",
    epochs=10,
)
