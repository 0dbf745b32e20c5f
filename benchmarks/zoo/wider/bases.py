"""Sound plans of the wider runs, one for each pair of architecture and data set."""

from __future__ import annotations

from functools import partial

from torch import nn

from .. import bases
from ..data import changes
from ..data.images import digits, mnist
from ..data.more_sequences import masks
from ..data.noisy import (
    BOOKS,
    COIN_FEATURES,
    COUNT_FEATURES,
    HEAVY_FEATURES,
    LINE_FEATURES,
    RARE_FEATURES,
    READERS,
    coins,
    counts,
    heavy,
    lines,
    rare,
    ratings,
)
from ..data.structured import (
    BANDS,
    LETTERS_TO_TURN,
    NODE_FEATURES,
    SOUNDS,
    TAG_KINDS,
    TAG_WORDS,
    graphs,
    tagging,
    turning,
    utterances,
)
from ..losses import next_symbol
from ..models import Recurrent, mlp
from ..optimizers import adam, adamw, cosine, sgd
from ..plan import Plan
from .networks import (
    Affinity,
    ConvolutionsThenGru,
    Experts,
    Hourglass,
    Listener,
    MessagePassing,
    Pieces,
    SequenceToSequence,
)
from .objectives import SpokenLoss, TagLoss

CLASSES = nn.CrossEntropyLoss()
YES_OR_NO = nn.BCEWithLogitsLoss()
SQUARES = nn.MSELoss()
FLAT_DIGITS = digits().changed(changes.flat())
FLAT_MNIST = mnist(1920).changed(changes.flat())

LINEAR_LINES = Plan(
    "linear",
    lines(),
    partial(nn.Linear, LINE_FEATURES, 1),
    SQUARES,
    sgd(0.05),
    "regression",
    epochs=8,
)
LINEAR_COINS = Plan(
    "linear",
    coins(),
    partial(nn.Linear, COIN_FEATURES, 1),
    YES_OR_NO,
    sgd(0.1),
    "logits",
    epochs=6,
    hand_in_loss=True,
)
LINEAR_DIGITS = Plan(
    "linear",
    FLAT_DIGITS,
    partial(nn.Linear, 64, 10),
    CLASSES,
    sgd(0.05, 0.9),
    "classes",
    epochs=8,
)
FC_COINS = Plan(
    "fc",
    coins(2880),
    partial(mlp, COIN_FEATURES, 1, hidden=16, depth=1),
    YES_OR_NO,
    adam(3e-3),
    "logits",
    epochs=8,
    scheduler=cosine(),
)
FC_RARE = Plan(
    "fc", rare(), partial(mlp, RARE_FEATURES, 2), CLASSES, adam(2e-3), "classes", epochs=8
)
FC_COUNTS = Plan(
    "fc",
    counts(),
    partial(mlp, COUNT_FEATURES, 1),
    nn.PoissonNLLLoss(),
    adam(3e-3),
    "none",
    epochs=10,
    report="loss",
    hand_in_loss=True,
)
FC_HEAVY = Plan(
    "fc",
    heavy(),
    partial(mlp, HEAVY_FEATURES, 1),
    nn.HuberLoss(delta=0.5),
    adam(3e-3),
    "regression",
    epochs=12,
)
RNN_TAGGING = Plan(
    "rnn",
    tagging(),
    partial(Recurrent, nn.GRU, TAG_WORDS, TAG_KINDS, words=True, everywhere=True),
    TagLoss(),
    adam(5e-3),
    "language",
    epochs=8,
    report="loss",
    hand_in_loss=True,
)
GRAPH_GRAPHS = Plan(
    "message-passing",
    graphs(1280),
    partial(MessagePassing, NODE_FEATURES, 1),
    SQUARES,
    adam(3e-3),
    "regression",
    epochs=10,
    scheduler=cosine(),
)
WRITER_TURNING = Plan(
    "seq2seq",
    turning(),
    partial(SequenceToSequence, LETTERS_TO_TURN),
    next_symbol,
    adam(5e-3),
    "language",
    epochs=8,
    report="loss",
    clip=1.0,
)
HOURGLASS_MASKS = Plan(
    "hourglass",
    masks(480),
    partial(Hourglass, 1, 1),
    YES_OR_NO,
    adam(5e-3),
    "logits",
    batch=16,
    epochs=6,
)
CRNN_DIGITS = Plan(
    "crnn",
    digits(),
    partial(ConvolutionsThenGru, 8, 10),
    CLASSES,
    adam(3e-3),
    "classes",
    epochs=6,
)
LISTENER_UTTERANCES = Plan(
    "listener",
    utterances(),
    partial(Listener, BANDS, SOUNDS),
    SpokenLoss(),
    adam(3e-3),
    "none",
    epochs=14,
    report="loss",
)
EXPERTS_FRIEDMAN = Plan(
    "experts",
    bases.FC_FRIEDMAN.source,
    partial(Experts, 10, 1),
    SQUARES,
    adamw(5e-3),
    "regression",
    epochs=12,
)
AFFINITY_RATINGS = Plan(
    "affinity",
    ratings(),
    partial(Affinity, READERS + BOOKS),
    SQUARES,
    adam(1e-2, weight_decay=1e-3),
    "regression",
    batch=48,
    epochs=12,
)
PIECES_MNIST = Plan(
    "fc", FLAT_MNIST, partial(Pieces, 196, 10), CLASSES, sgd(0.03, 0.9), "classes", epochs=6
)
