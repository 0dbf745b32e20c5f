"""Tables and points: two moons, spirals, tumours, trees, houses, a wave, tags, a shop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import (
    load_breast_cancer,
    make_classification,
    make_moons,
    make_multilabel_classification,
)

from .source import VALIDATION, Source, Split, split

CATEGORIES = 30  # of each column of the shop
COLUMNS = 4
TREES = 6
TAGS = 6


def moons(samples: int = 640) -> Source:
    """Two half moons, one in the other."""
    return Source("moons", samples, _moons)


def spirals(samples: int = 960) -> Source:
    """Three arms around one another."""
    return Source("spirals", samples, _spirals)


def cancer(samples: int = 256) -> Source:
    """Thirty measures of a tumour: is it harmless?"""
    return Source("cancer", samples, _cancer)


def forest(samples: int = 1280) -> Source:
    """Six kinds of trees by twenty measures, of which twelve say something."""
    return Source("forest", samples, _forest)


def housing(samples: int = 960) -> Source:
    """The price of a house by eight features, standardised; the noise grows with the price."""
    return Source("housing", samples, _housing)


def wave(samples: int = 960) -> Source:
    """One number in, a sum of two sines out."""
    return Source("wave", samples, _wave)


def tags(samples: int = 1280) -> Source:
    """Word counts of documents that have several tags at once."""
    return Source("tags", samples, _tags)


def shop(samples: int = 1920) -> Source:
    """Four columns of categories, such as customer and article: was it bought?"""
    return Source("shop", samples, _shop)


def _standard(values: NDArray[np.floating]) -> NDArray[np.floating]:
    return (values - values.mean(0)) / values.std(0)


def _moons(samples: int, seed: int) -> Split:
    inputs, targets = make_moons(samples + VALIDATION, noise=0.15, random_state=seed)
    return split(_standard(inputs), targets, samples, seed)


def _spirals(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    arms = random.integers(3, size=samples + VALIDATION)
    radius = random.uniform(0.2, 2.0, len(arms))
    angle = 2 * np.pi * arms / 3 + 2.2 * radius + 0.15 * random.standard_normal(len(arms))
    inputs = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    return split(inputs, arms, samples, seed)


def _cancer(samples: int, seed: int) -> Split:
    inputs, targets = load_breast_cancer(return_X_y=True)
    return split(_standard(inputs), targets, samples, seed)


def _forest(samples: int, seed: int) -> Split:
    inputs, targets = make_classification(
        samples + VALIDATION,
        20,
        n_informative=12,
        n_redundant=4,
        n_classes=TREES,
        class_sep=2.0,
        random_state=seed,
    )
    return split(_standard(inputs), targets, samples, seed)


def _housing(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.standard_normal((samples + VALIDATION, 8))
    near = np.exp(-((x[:, 6] - 0.5) ** 2) - (x[:, 7] + 0.5) ** 2)  # to the sea
    price = np.exp(0.5 * x[:, 0] + 0.2 * np.tanh(x[:, 1]) + 0.15 * x[:, 2] * (x[:, 3] > 0) + near)
    price *= np.exp(0.08 * random.standard_normal(len(price)))
    return split(x, _standard(np.log1p(price))[:, None], samples, seed)


def _wave(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    x = random.uniform(-2, 2, (samples + VALIDATION, 1))
    y = np.sin(3 * x) + 0.5 * np.cos(5 * x) + 0.1 * random.standard_normal(x.shape)
    return split(x, _standard(y), samples, seed)


def _tags(samples: int, seed: int) -> Split:
    inputs, targets = make_multilabel_classification(
        samples + VALIDATION,
        n_features=30,
        n_classes=TAGS,
        n_labels=2,
        length=400,
        random_state=seed,
    )
    return split(_standard(inputs), targets.astype(np.float32), samples, seed)


def _shop(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    tastes = random.standard_normal((COLUMNS, CATEGORIES))
    columns = random.integers(CATEGORIES, size=(samples + VALIDATION, COLUMNS))
    taste = tastes[np.arange(COLUMNS), columns]
    liking = 1.5 * taste.sum(1) + taste[:, 0] * taste[:, 1]
    bought = liking + 0.5 * random.standard_normal(len(liking)) > 0
    inputs = columns + CATEGORIES * np.arange(COLUMNS)
    return split(inputs, bought.astype(np.float32)[:, None], samples, seed)
