"""Graphs, symbols to turn around or to tag, sounds to write down, many of one thing."""

from __future__ import annotations

import numpy as np

from .source import VALIDATION, Source, Split, split

NODES = 8
NODE_FEATURES = 3
LETTERS_TO_TURN = 8
TURNED = 6  # symbols of a piece to turn around
SOUNDS = 5
SPOKEN = 4  # sounds of an utterance
FRAMES = 20
BANDS = 6
TAG_WORDS = 20
TAG_KINDS = 4
SENTENCE = 12
IGNORED = -100


def graphs(samples: int = 960) -> Source:
    """Nodes with features and which are joined: how much do neighbours agree, on the whole?

    [N, nodes, features + nodes], the adjacency beside the features.
    """
    return Source("graphs", samples, _graphs)


def turning(samples: int = 1280) -> Source:
    """Six symbols; the target is the same from the last to the first."""
    return Source("turning", samples, _turning)


def utterances(samples: int = 640) -> Source:
    """Twenty frames in which four sounds are heard one after the other, each for some time."""
    return Source("utterances", samples, _utterances)


def tagging(samples: int = 960) -> Source:
    """Sentences of several lengths: the kind of each word, which depends on the word before.

    Where a sentence has ended, the target is to be ignored.
    """
    return Source("tagging", samples, _tagging)


def _graphs(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    features = random.standard_normal((count, NODES, NODE_FEATURES))
    upper = np.triu(random.random((count, NODES, NODES)) < 0.35, 1)
    joined = (upper | upper.transpose(0, 2, 1)).astype(float)
    agree = np.tanh(features[..., 0])[:, :, None] * features[..., 1][:, None, :]
    target = (agree * joined).sum((1, 2)) / NODES
    target = (target - target.mean()) / target.std()
    return split(np.concatenate([features, joined], 2), target[:, None], samples, seed)


def _turning(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    symbols = random.integers(LETTERS_TO_TURN, size=(samples + VALIDATION, TURNED))
    return split(symbols, symbols[:, ::-1], samples, seed)


def _utterances(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    voices = 1.5 * random.standard_normal((SOUNDS + 1, BANDS))
    count = samples + VALIDATION
    spoken = random.integers(1, SOUNDS + 1, size=(count, SPOKEN))
    heard = np.zeros((count, FRAMES), np.int64)
    for row, sounds in zip(heard, spoken, strict=True):
        place = 0
        for sound in sounds:
            length = random.integers(2, 5)
            row[place : place + length] = sound
            place += length + 1
    frames = voices[heard] * (heard > 0)[..., None]
    return split(frames + 0.3 * random.standard_normal(frames.shape), spoken, samples, seed)


def _tagging(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    words = random.integers(1, TAG_WORDS, size=(count, SENTENCE))
    own = random.integers(TAG_KINDS, size=TAG_WORDS)
    before = np.concatenate([np.zeros((count, 1), np.int64), words[:, :-1]], 1)
    kinds = np.where(before % 3 == 0, (own[words] + 1) % TAG_KINDS, own[words])
    ended = np.arange(SENTENCE) >= random.integers(5, SENTENCE + 1, size=(count, 1))
    words[ended], kinds[ended] = 0, IGNORED
    return split(words, kinds, samples, seed)
