"""Arrangements of the third filling: molecules, a place to point at, brackets, textures."""

from __future__ import annotations

import numpy as np

from .source import VALIDATION, Source, Split, split

ATOMS = 9
ATOM_KINDS = 4
CANDIDATES = 10
BRACKETS = 14
TEXTURES = 5
BEATS = 32
RHYTHMS = 4


def molecules(samples: int = 960) -> Source:
    """Atoms of four kinds and their bonds: the energy of the bonds, by the kinds at their ends.

    [N, atoms, kinds + atoms], the bonds beside the kinds.
    """
    return Source("molecules", samples, _molecules)


def pointing(samples: int = 1280) -> Source:
    """Ten candidates of two numbers each, the first of the largest sum is wanted: which place?"""
    return Source("pointing", samples, _pointing)


def brackets(samples: int = 1280) -> Source:
    """Symbols that open (1), close (2) or are neither (0): how deep at the end, at most 4?"""
    return Source("brackets", samples, _brackets)


def textures(samples: int = 960) -> Source:
    """12 by 12 pictures of noise that is smooth in one of five ways."""
    return Source("textures", samples, _textures)


def rhythms(samples: int = 1280) -> Source:
    """A series of beats with a period of three, four, five or six, and noise: which?"""
    return Source("rhythms", samples, _rhythms)


def _molecules(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    count = samples + VALIDATION
    kinds = np.eye(ATOM_KINDS)[random.integers(ATOM_KINDS, size=(count, ATOMS))]
    upper = np.triu(random.random((count, ATOMS, ATOMS)) < 0.3, 1)
    bonds = (upper | upper.transpose(0, 2, 1)).astype(float)
    strength = random.standard_normal((ATOM_KINDS, ATOM_KINDS))
    strength = strength + strength.T
    energy = ((kinds @ strength @ kinds.transpose(0, 2, 1)) * bonds).sum((1, 2))
    energy = (energy - energy.mean()) / energy.std() + 0.05 * random.standard_normal(count)
    return split(np.concatenate([kinds, bonds], 2), energy[:, None], samples, seed)


def _pointing(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    candidates = random.standard_normal((samples + VALIDATION, CANDIDATES, 2))
    return split(candidates, candidates.sum(2).argmax(1), samples, seed)


def _brackets(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    symbols = random.integers(3, size=(samples + VALIDATION, BRACKETS))
    depth = np.zeros(len(symbols), np.int64)
    for place in range(BRACKETS):
        change = (symbols[:, place] == 1).astype(int) - (symbols[:, place] == 2)
        depth = np.clip(depth + change, 0, 4)
    return split(symbols, depth, samples, seed)


def _textures(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    kinds = random.integers(TEXTURES, size=samples + VALIDATION)
    noise = random.standard_normal((len(kinds), 16, 16))
    across = (noise + np.roll(noise, 1, 1) + np.roll(noise, 2, 1)) / np.sqrt(3)
    along = (noise + np.roll(noise, 1, 2) + np.roll(noise, 2, 2)) / np.sqrt(3)
    both = (along + np.roll(along, 1, 1) + np.roll(along, 2, 1)) / np.sqrt(3)
    rough = (noise - np.roll(noise, 1, 1)) / np.sqrt(2)
    made = np.stack([noise, across, along, both, rough])
    return split(made[kinds, np.arange(len(kinds)), 2:14, 2:14][:, None], kinds, samples, seed)


def _rhythms(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    kinds = random.integers(RHYTHMS, size=samples + VALIDATION)
    start = random.integers(6, size=(len(kinds), 1))
    beat = ((np.arange(BEATS) + start) % (kinds[:, None] + 3) == 0).astype(float)
    series = 2 * beat + 0.4 * random.standard_normal(beat.shape)
    return split(series[:, :, None], kinds, samples, seed)
