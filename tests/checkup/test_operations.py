from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import nn

from paramedic.checkup.operations import Watcher, Whereabouts, memories, memory_of

from .case import normal


class Names(Watcher):
    def __init__(self) -> None:
        self.names: list[str] = []

    def seen(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        self.names.append(name)
        if name == "mm":
            assert {"self", "mat2"} <= given.keys()


def test_every_operation_is_seen_and_only_meanwhile() -> None:
    with Names() as watcher:
        torch.relu(normal(2, 3) @ normal(3, 4))
    torch.tanh(normal(2))
    assert "mm" in watcher.names
    assert "relu" in watcher.names
    assert "tanh" not in watcher.names


def test_the_watch_ends_when_something_raises() -> None:
    watcher = Names()
    with pytest.raises(RuntimeError), watcher:
        normal(2, 3) @ normal(2, 3)
    count = len(watcher.names)
    torch.ones(2) + 1
    assert len(watcher.names) == count


def test_views_share_their_memory() -> None:
    tensor = normal(4, 4)
    assert memory_of(tensor.t()[1:]) == memory_of(tensor)
    assert memories([tensor, tensor.t(), torch.empty(0)]) == {memory_of(tensor)}


def test_which_module_is_running() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU()))
    place = Whereabouts(model)
    seen = []
    model[1][0].register_forward_hook(lambda *_: seen.append(place.now))
    with place.followed():
        model(normal(3, 2))
    assert seen == ["1.0"]
    assert place.now == "Sequential"
    assert not model[0]._forward_hooks
