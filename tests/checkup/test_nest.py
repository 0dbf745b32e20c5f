from __future__ import annotations

from collections import namedtuple

import torch
from torch.nn.utils.rnn import pack_sequence

from paramedic.checkup.nest import flatten, rebuild

Pair = namedtuple("Pair", ["left", "right"])
A, B, C = torch.tensor(1), torch.tensor(2), torch.tensor(3)


def test_every_tensor_from_left_to_right() -> None:
    assert flatten((A, {"x": [B, "word"], "y": Pair(C, None)})) == [A, B, C]
    assert flatten("word") == []
    assert flatten(None) == []


def test_rebuilding_keeps_the_kinds() -> None:
    nest = (A, {"x": [B, "word"], "y": Pair(C, None)})
    other = rebuild(nest, [C, A, B])
    assert other == (C, {"x": [A, "word"], "y": Pair(B, None)})
    assert isinstance(other[1]["y"], Pair)
    assert isinstance(other[1]["x"], list)


def test_packed_sequences_are_left_alone() -> None:
    packed = pack_sequence([torch.ones(3), torch.ones(2)])
    assert flatten(packed) == []
    assert rebuild(packed, []) is packed
