"""Film reviews, news and plays, as numbers of words or characters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .source import Source, Split, arrays, split, text

WORDS = 2000  # rarer words become `UNKNOWN`
UNKNOWN = 2
CHARACTERS = 65
TOPICS = 8  # the most frequent of Reuters
LENGTH = 48  # words of a document
LINE = 32  # characters of a piece of a play


def imdb(samples: int = 2560) -> Source:
    """Film reviews: good or bad, by their last words."""
    return Source("imdb", samples, _imdb)


def reuters(samples: int = 1920) -> Source:
    """News of eight topics, very unequal in number."""
    return Source("reuters", samples, _reuters)


def characters(samples: int = 1600) -> Source:
    """Pieces of Shakespeare; the target is the next character, at every place."""
    return Source("chars", samples, _characters)


def _imdb(samples: int, seed: int) -> Split:
    file = arrays("imdb/imdb_tok10k.npz")
    return split(_documents(file, from_end=True), file["y_train"], samples, seed)


def _reuters(samples: int, seed: int) -> Split:
    file = arrays("reuters/reuters46_tok10k.npz")
    labels = file["y_train"].astype(np.int64)
    frequent = np.argsort(-np.bincount(labels))[:TOPICS]
    number = np.full(labels.max() + 1, -1)
    number[frequent] = np.arange(TOPICS)
    kept = number[labels] >= 0
    documents = _documents(file, from_end=False)
    return split(documents[kept], number[labels[kept]], samples, seed)


def _documents(file: dict[str, NDArray[np.generic]], from_end: bool) -> NDArray[np.int64]:
    """Every document cut or filled up with zeros to the same length."""
    tokens, offsets = file["tokens_train"].astype(np.int64), file["offsets_train"]
    tokens[tokens >= WORDS] = UNKNOWN
    documents = np.zeros((len(offsets) - 1, LENGTH), np.int64)
    for place, (begin, end) in enumerate(pairwise(offsets)):
        words = tokens[begin:end][-LENGTH:] if from_end else tokens[begin:end][:LENGTH]
        documents[place, : len(words)] = words
    return documents


def _characters(samples: int, seed: int) -> Split:
    play = text("tinyshakespeare/input.txt.gz")[:400_000]
    alphabet = sorted(set(play))
    if len(alphabet) > CHARACTERS:
        raise ValueError(f"The play has {len(alphabet)} characters but at most {CHARACTERS} fit.")
    number = {character: place for place, character in enumerate(alphabet)}
    codes = np.array([number[character] for character in play])
    pieces = codes[: len(codes) // LINE * LINE]
    inputs, targets = pieces[:-LINE].reshape(-1, LINE), pieces[1 : 1 - LINE].reshape(-1, LINE)
    return split(inputs, targets, samples, seed)
