from __future__ import annotations

import random

import numpy as np
import torch

from paramedic.probe.randomness import random_streams, seed


def _draw() -> tuple[float, float, float]:
    return random.random(), float(np.random.rand()), float(torch.rand(()))


def test_all_streams_go_on_where_they_were() -> None:
    seed(3)
    expected = _draw()
    seed(3)
    with random_streams():
        _draw()
    assert _draw() == expected


def test_a_seed_begins_all_streams() -> None:
    seed(1)
    first = _draw()
    seed(1)
    assert _draw() == first
    seed(2)
    assert all(one != other for one, other in zip(_draw(), first, strict=True))
