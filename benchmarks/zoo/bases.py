"""Sound plans of the tuning half, one for each pair of architecture and data set."""

from __future__ import annotations

from functools import partial

import torch.nn.functional as F
from torch import nn

from .data import changes
from .data.images import cifar10, digits, mnist
from .data.source import Source
from .data.tables import CURRENCIES, blobs, circles, exchange, friedman
from .data.texts import CHARACTERS, TOPICS, WORDS, characters, imdb, reuters
from .losses import NextSymbolLoss, next_symbol
from .models import BagOfWords, Recurrent, SeriesCnn, Transformer, cnn, mlp
from .optimizers import adam, adamw, sgd
from .plan import Plan

CLASSES = nn.CrossEntropyLoss()
YES_OR_NO = nn.BCEWithLogitsLoss()
SQUARES = nn.MSELoss()


def _binary(source: Source) -> Source:
    return source.changed(changes.column())


FC_CIRCLES = Plan("fc", circles(), partial(mlp, 2, 2), CLASSES, sgd(0.3), "classes", epochs=20)
FC_CIRCLES_BINARY = FC_CIRCLES.but(
    source=_binary(circles()), model=partial(mlp, 2, 1), loss=YES_OR_NO, scoring="logits"
)
FC_DIGITS = Plan(
    "fc",
    digits().changed(changes.flat()),
    partial(mlp, 64, 10),
    F.cross_entropy,
    adam(2e-3),
    "classes",
    epochs=10,
)
FC_IMDB = Plan(
    "fc",
    _binary(imdb(3840)),
    partial(BagOfWords, WORDS, 1, dropout=0.3),
    YES_OR_NO,
    adam(5e-3, weight_decay=3e-4),
    "logits",
    batch=96,
    epochs=10,
    hand_in_loss=True,
)
FC_FRIEDMAN = Plan(
    "fc", friedman(), partial(mlp, 10, 1), SQUARES, adam(5e-3), "regression", epochs=16
)
CNN_MNIST = Plan(
    "cnn", mnist(), partial(cnn, 1, 10), CLASSES, adam(3e-3), "classes", hand_in_loss=True
)
CNN_EXCHANGE = Plan(
    "cnn",
    exchange(),
    partial(SeriesCnn, CURRENCIES),
    F.mse_loss,
    adam(2e-3),
    "regression",
    epochs=14,
)
RNN_IMDB = Plan(
    "rnn",
    _binary(imdb(3840)),
    partial(Recurrent, nn.LSTM, WORDS, 1, words=True, hidden=16, dropout=0.3),
    F.binary_cross_entropy_with_logits,
    adam(5e-3, weight_decay=4e-4),
    "logits",
    batch=128,
    epochs=10,
)
RNN_EXCHANGE = Plan(
    "rnn",
    exchange(),
    partial(Recurrent, nn.GRU, CURRENCIES, CURRENCIES),
    SQUARES,
    adam(5e-3),
    "regression",
    epochs=14,
)
RNN_DIGITS = Plan(
    "rnn",
    digits().changed(changes.rows()),
    partial(Recurrent, nn.RNN, 8, 10),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=12,
    report="loss",
)
TRANSFORMER_DIGITS = Plan(
    "transformer",
    digits().changed(changes.rows()),
    partial(Transformer, 8, 10),
    CLASSES,
    adamw(2e-3),
    "classes",
    epochs=12,
)
TRANSFORMER_CHARS = Plan(
    "transformer",
    characters(),
    partial(Transformer, CHARACTERS, CHARACTERS, layers=1, words=True, everywhere=True),
    next_symbol,
    adamw(5e-3),
    "language",
    epochs=8,
    report="nothing",
)

FC_BLOBS = Plan("fc", blobs(), partial(mlp, 8, 3), CLASSES, sgd(0.05, 0.9), "classes", epochs=15)
FC_MNIST = Plan(
    "fc",
    mnist(2560).changed(changes.flat()),
    partial(mlp, 196, 10),
    F.cross_entropy,
    sgd(0.02, 0.9, weight_decay=2e-3),
    "classes",
    batch=64,
    epochs=10,
)
FC_REUTERS = Plan(
    "fc",
    reuters(),
    partial(BagOfWords, WORDS, TOPICS),
    CLASSES,
    adam(1e-2, weight_decay=3e-4),
    "classes",
    batch=48,
    epochs=10,
    hand_in_loss=True,
)
FC_EXCHANGE = Plan(
    "fc",
    exchange().changed(changes.flat()),
    partial(mlp, 16 * CURRENCIES, CURRENCIES, hidden=48),
    SQUARES,
    adam(2e-3),
    "regression",
    epochs=12,
)
CNN_DIGITS = Plan(
    "cnn", digits(), partial(cnn, 1, 10), CLASSES, sgd(0.02, 0.9), "classes", hand_in_loss=True
)
CNN_CIFAR10 = Plan(
    "cnn",
    cifar10(),
    partial(cnn, 3, 10, width=24, blocks=3, dropout=0.3),
    F.cross_entropy,
    adam(3e-3),
    "classes",
    batch=64,
    epochs=10,
)
RNN_REUTERS = Plan(
    "rnn",
    reuters(1280),
    partial(Recurrent, nn.GRU, WORDS, TOPICS, words=True),
    CLASSES,
    adam(5e-3),
    "classes",
    batch=48,
    epochs=10,
)
RNN_CHARS = Plan(
    "rnn",
    characters(),
    partial(Recurrent, nn.LSTM, CHARACTERS, CHARACTERS, hidden=48, words=True, everywhere=True),
    NextSymbolLoss(),
    adam(1e-2),
    "language",
    epochs=8,
    report="nothing",
    hand_in_loss=True,
)
RNN_MNIST = Plan(
    "rnn",
    mnist().changed(changes.rows()),
    partial(Recurrent, nn.GRU, 14, 10),
    CLASSES,
    adam(5e-3),
    "classes",
    epochs=10,
    report="loss",
)
TRANSFORMER_IMDB = Plan(
    "transformer",
    _binary(imdb(2880)).changed(changes.inputs(lambda x: x[:, -32:])),
    partial(Transformer, WORDS, 1, words=True, layers=1, width=16, dropout=0.2),
    YES_OR_NO,
    adamw(2e-3, weight_decay=0.2),
    "logits",
    batch=96,
    epochs=10,
)
TRANSFORMER_REUTERS = Plan(
    "transformer",
    reuters(1280),
    partial(Transformer, WORDS, TOPICS, words=True, layers=1),
    F.cross_entropy,
    adamw(2e-3),
    "classes",
    batch=48,
    epochs=10,
)
TRANSFORMER_EXCHANGE = Plan(
    "transformer",
    exchange(),
    partial(Transformer, CURRENCIES, CURRENCIES),
    F.mse_loss,
    adamw(2e-3),
    "regression",
    epochs=12,
)
