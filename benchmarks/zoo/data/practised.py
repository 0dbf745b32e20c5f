"""Data of practice: a spring to be solved for, steps in a corridor."""

from __future__ import annotations

import numpy as np

from .source import VALIDATION, Source, Split, split

PLACES = 10  # of the corridor; the last one has the prize
PATIENCE = 0.9  # what a prize is worth one step later


def spring(samples: int = 960) -> Source:
    """Moments at which a spring has to obey its equation; the target is that nothing is left."""
    return Source("spring", samples, _spring)


def corridor(samples: int = 1280) -> Source:
    """Steps to and fro in a corridor with a prize at its end; the target is what they are worth.

    [N, 2 * places + 3]: the place, the step (to or fro), the prize, and the place after it.
    """
    return Source("corridor", samples, _corridor)


def _spring(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    moments = random.uniform(0, 3, (samples + VALIDATION, 1))
    return split(moments, np.zeros((len(moments), 3)), samples, seed)


def _corridor(samples: int, seed: int) -> Split:
    random = np.random.default_rng(seed)
    place = random.integers(PLACES - 1, size=samples + VALIDATION)
    forth = random.integers(2, size=len(place))
    after = np.clip(place + 2 * forth - 1, 0, PLACES - 1)
    prize = (after == PLACES - 1).astype(float)
    worth = PATIENCE ** (PLACES - 2.0 - np.where(prize > 0, PLACES - 2, after))
    worth = np.where(prize > 0, 1.0, PATIENCE * worth)
    known = np.eye(PLACES)
    steps = np.stack([1 - forth, forth, prize], 1)
    return split(
        np.concatenate([known[place], steps, known[after]], 1), worth[:, None], samples, seed
    )
