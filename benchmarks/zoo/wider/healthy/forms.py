"""Other activations, norms and forms: letters, words, graphs, bags, series, pictures, deep nets."""

from __future__ import annotations

from functools import partial

from torch import nn

from ... import bases as first
from ...data import changes
from ...data.arranged import RHYTHMS, rhythms
from ...data.books import LETTERS, VOCABULARY, encyclopedia, whale_words
from ...data.gathered import STRAW_FEATURES, needles
from ...data.more_points import COLOURS, colours, spread
from ...data.more_sequences import SIGNALS, signals
from ...data.points import CATEGORIES, COLUMNS, shop
from ...data.sequences import leaky
from ...data.structured import LETTERS_TO_TURN
from ...data.texts import CHARACTERS
from ...models import Layer, Recurrent
from ...optimizers import adam, adamw, cosine, sgd
from ...plan import Plan
from ...recipe import Recipe, healthy
from .. import bases
from ..shapes import (
    ClassToken,
    Columns,
    LargestOf,
    Steady,
    Tied,
    Translator,
    Window,
    along_time,
    growing,
    skipping,
    strided,
)

_LETTERS = {"scoring": "language", "report": "loss"}
SYMBOLS: list[Recipe] = [
    *healthy("tied", first.RNN_CHARS.but(model=partial(Tied, CHARACTERS), **_LETTERS, epochs=6), 2),
    *healthy(
        "tied-dropout",
        first.RNN_CHARS.but(
            source=encyclopedia(1280),
            model=partial(Tied, LETTERS, dropout=0.2),
            **_LETTERS,
            clip=0.5,
            epochs=6,
        ),
        3,
    ),
    *healthy(
        "told-what-came-before",
        bases.WRITER_TURNING.but(
            architecture="translator",
            source=bases.WRITER_TURNING.data(changes.targets_beside),
            model=partial(Translator, LETTERS_TO_TURN),
            optimizer=adam(3e-3),
            scheduler=cosine(),
            epochs=10,
        ),
        1,
    ),
    *healthy(
        "word-of-window",
        Plan(
            "window",
            whale_words(3840).changed(changes.middle_of_window(5)),
            partial(Window, VOCABULARY),
            nn.CrossEntropyLoss(),
            adam(5e-3),
            "classes",
            report="loss",
            epochs=4,
        ),
        0,
    ),
    *healthy(
        "embedded-columns",
        Plan(
            "columns",
            shop(3840),
            partial(Columns, CATEGORIES * COLUMNS, COLUMNS),
            nn.BCEWithLogitsLoss(),
            adamw(5e-3, weight_decay=0.1),
            "logits",
            epochs=8,
            scheduler=cosine(),
        ),
        0,
    ),
]

_BAGS = Plan(
    "largest-of",
    needles(),
    partial(LargestOf, STRAW_FEATURES, 1),
    nn.BCEWithLogitsLoss(),
    adam(3e-3),
    "logits",
    epochs=8,
)
_SERIES = Plan(
    "cnn",
    signals(),
    partial(along_time, 1, SIGNALS),
    nn.CrossEntropyLoss(),
    adam(3e-3),
    "classes",
    epochs=8,
)

GATHERED: list[Recipe] = [
    *healthy("largest", _BAGS, 0),
    *healthy(
        "largest",
        _BAGS.but(
            source=colours(960),
            model=partial(LargestOf, 3, COLOURS),
            loss=nn.CrossEntropyLoss(),
            scoring="classes",
            optimizer=sgd(0.05, 0.9),
        ),
        1,
    ),
    *healthy(
        "largest",
        _BAGS.but(
            source=spread(),
            model=partial(LargestOf, 2, 1),
            loss=nn.SmoothL1Loss(),
            scoring="regression",
        ),
        2,
    ),
    *healthy("series", _SERIES.but(scheduler=cosine()), 0),
    *healthy(
        "series",
        _SERIES.but(
            source=rhythms(960),
            model=partial(along_time, 1, RHYTHMS),
            optimizer=sgd(0.05, 0.9),
            scheduler=cosine(),
        ),
        1,
    ),
    *healthy(
        "steady-relu-rnn",
        first.RNN_DIGITS.but(model=partial(Steady, 8, 10), clip=1.0, scheduler=cosine()),
        9,
    ),
    *healthy(
        "steady-relu-rnn",
        first.RNN_EXCHANGE.but(
            source=leaky(),
            model=partial(Steady, 2, 1),
            optimizer=adam(3e-3),
            clip=1.0,
        ),
        7,
    ),
    *healthy(
        "gru3-dropout",
        first.RNN_MNIST.but(
            model=partial(Recurrent, nn.GRU, 14, 10, layers=3, dropout=0.5),
            epochs=7,
            optimizer=adam(4e-3),
        ),
        1,
    ),
]

_FLAT = first.FC_DIGITS.but(epochs=8)


def _acting(form: str, activation: Layer, seed: int, rate: float = 2e-3) -> list[Recipe]:
    plan = _FLAT.but(
        model=first.FC_DIGITS.remodel(activation=activation, depth=3), optimizer=adam(rate)
    )
    return healthy(form, plan, seed)


PICTURES: list[Recipe] = [
    *healthy(
        "class-token",
        first.CNN_DIGITS.but(
            architecture="vit",
            model=partial(ClassToken, 8, 10),
            optimizer=adamw(2e-3),
            scheduler=cosine(),
            epochs=10,
        ),
        0,
    ),
    *healthy(
        "class-token",
        first.CNN_MNIST.but(
            architecture="vit",
            model=partial(ClassToken, 14, 10),
            optimizer=adamw(2e-3),
            scheduler=cosine(),
            epochs=8,
            source=first.CNN_MNIST.source.sized(1920),
        ),
        1,
    ),
    *healthy(
        "strided",
        first.CNN_DIGITS.but(
            model=partial(strided, 1, 10), optimizer=adam(4e-3), scheduler=cosine()
        ),
        8,
    ),
    *healthy(
        "group-norm",
        first.CNN_DIGITS.but(
            model=partial(strided, 1, 10, norm=partial(nn.GroupNorm, 4)), epochs=8
        ),
        9,
    ),
    *healthy(
        "batch-norm-hard-swish",
        first.CNN_MNIST.but(
            model=partial(strided, 1, 10, norm=nn.BatchNorm2d, activation=nn.Hardswish),
            optimizer=adam(1e-2),
            scheduler=cosine(),
            epochs=8,
        ),
        0,
    ),
]

ACTIVATIONS: list[Recipe] = [
    *_acting("gelu", nn.GELU, 1),
    *_acting("silu", nn.SiLU, 2),
    *_acting("softplus", nn.Softplus, 3, 3e-3),
    *_acting("mish", nn.Mish, 4),
    *_acting("prelu", nn.PReLU, 6, 1e-3),
    *_acting("hard-tanh", nn.Hardtanh, 7),
    *healthy("rms-norm-gated", _FLAT.but(model=partial(skipping, 64, 10, norm=nn.RMSNorm)), 8),
    *healthy(
        "layer-norm-gated-sgd",
        first.FC_MNIST.but(
            model=partial(skipping, 196, 10, norm=nn.LayerNorm, blocks=6),
            optimizer=sgd(0.02, 0.9),
            epochs=6,
        ),
        9,
    ),
    *healthy("growing-10", _FLAT.but(model=partial(growing, 64, 10)), 10),
    *healthy(
        "growing-20",
        first.FC_FRIEDMAN.but(
            model=partial(growing, 10, 1, blocks=20),
            optimizer=adam(2e-3),
            scheduler=cosine(),
            epochs=8,
        ),
        4,
    ),
    *healthy(
        "dropout-0.7",
        _FLAT.but(model=first.FC_DIGITS.remodel(hidden=256, dropout=0.7), epochs=12),
        16,
    ),
]

RECIPES = SYMBOLS + GATHERED + PICTURES + ACTIVATIONS
