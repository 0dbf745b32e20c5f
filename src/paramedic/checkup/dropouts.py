"""Dropout, recognised by what it does: entries are put to zero at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from paramedic.checkup.operations import Watcher, Whereabouts

_ALWAYS = ("native_dropout", "bernoulli", "bernoulli_", "_fused_dropout")
_RANDOM = ("rand", "randn", "rand_like", "randn_like", "normal_", "uniform_", "randint", "randperm",
           "exponential_", "multinomial", "normal", "rrelu_with_noise")  # fmt: skip
_BATCH_NORMS = ("native_batch_norm", "cudnn_batch_norm", "_native_batch_norm_legit",
                "_batch_norm_with_update", "miopen_batch_norm", "batch_norm")  # fmt: skip


def drops(name: str, given: Mapping[str, Any]) -> bool:
    """Whether an operation puts entries to zero at random."""
    off = name == "native_dropout" and given.get("train") is False
    return (name in _ALWAYS and not off) or float(given.get("dropout_p", 0.0) or 0.0) > 0


def draws(name: str) -> bool:
    """Whether an operation gives random numbers."""
    return name in _RANDOM


class Randomness(Watcher):
    """Records the random operations of a forward pass and where they are."""

    def __init__(self, model: nn.Module) -> None:
        self.place = Whereabouts(model)
        self.dropouts: list[str] = []
        self.draws: list[str] = []
        self.batch_norms: list[str] = []  # that use the statistics of the batch
        self.updated: list[str] = []  # buffers that are other ones after the pass

    def seen(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        if drops(name, given):
            self.dropouts.append(self.place.now)
        elif draws(name):
            self.draws.append(self.place.now)
        elif name in _BATCH_NORMS and given.get("training", given.get("train")):
            self.batch_norms.append(self.place.now)
