"""Novels, film reviews, an encyclopedia, by characters or words; the target is the next one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from .source import Source, Split, split, text

LETTERS = 48  # the most frequent; what is rarer is the first of them
VOCABULARY = 400
PIECE = 24  # letters or words of a piece


def moby(samples: int = 1280) -> Source:
    """Letters of a novel about a whale."""
    return Source("moby", samples, _moby)


def austen(samples: int = 1280) -> Source:
    """Letters of a novel about pride."""
    return Source("austen", samples, _austen)


def encyclopedia(samples: int = 1280) -> Source:
    """Letters of an encyclopedia with its markup."""
    return Source("enwik8", samples, _encyclopedia)


def articles(samples: int = 1280) -> Source:
    """Words of articles."""
    return Source("wikitext2", samples, _articles)


def critics(samples: int = 1280) -> Source:
    """Letters of film reviews."""
    return Source("critics", samples, _critics)


def whale_words(samples: int = 1280) -> Source:
    """Words of the novel about a whale."""
    return Source("whale-words", samples, _whale_words)


def _moby(samples: int, seed: int) -> Split:
    return _pieces(text("gutenberg/moby_dick.txt.gz")[20_000:420_000], LETTERS, samples, seed)


def _austen(samples: int, seed: int) -> Split:
    novel = text("gutenberg/pride_and_prejudice_pg1342.txt.gz")
    return _pieces(novel[20_000:420_000], LETTERS, samples, seed)


def _encyclopedia(samples: int, seed: int) -> Split:
    return _pieces(text("enwik8/enwik8_first2MB.txt.gz")[:400_000], LETTERS, samples, seed)


def _articles(samples: int, seed: int) -> Split:
    return _pieces(text("wikitext2/test.txt.gz").split(), VOCABULARY, samples, seed)


def _critics(samples: int, seed: int) -> Split:
    reviews = text("imdb/imdb_raw_train_1500.tsv.gz")
    return _pieces(reviews[:400_000], LETTERS, samples, seed)


def _whale_words(samples: int, seed: int) -> Split:
    novel = text("gutenberg/moby_dick.txt.gz")[20_000:]
    return _pieces(novel.lower().split(), VOCABULARY, samples, seed)


def _pieces(symbols: Sequence[str], size: int, samples: int, seed: int) -> Split:
    """Pieces of one length, and the same one symbol later."""
    frequent = [symbol for symbol, _ in Counter(symbols).most_common(size - 1)]
    number = {symbol: place for place, symbol in enumerate(frequent, 1)}
    codes = np.array([number.get(symbol, 0) for symbol in symbols])
    count = (len(codes) - 1) // PIECE
    inputs = codes[: count * PIECE].reshape(count, PIECE)
    targets = codes[1 : count * PIECE + 1].reshape(count, PIECE)
    return split(inputs, targets, samples, seed)
