"""What is trained: four workloads, and models of any size for the sweeps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle

import torch
from torch import Tensor, nn

from .gpt import CharGPT, GPTConfig

SEED = 1234
BATCHES = 8
MANY = 512  # of the small batches: too many to learn by heart, so the gradients stay alive
Batch = tuple[Tensor, Tensor]


@dataclass(slots=True)
class Rig:
    """One model with its optimizer, loss and an endless supply of batches."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    loss_fn: nn.Module
    batches: Iterator[Batch]

    def loss(self) -> Tensor:
        """The loss of the next batch."""
        inputs, targets = next(self.batches)
        output = self.model(inputs)
        return self.loss_fn(output.flatten(0, -2), targets.flatten())

    def parameters(self) -> int:
        return sum(p.numel() for p in self.model.parameters())

    def tensors(self) -> int:
        return sum(1 for _ in self.model.parameters())


@dataclass(frozen=True, slots=True)
class Workload:
    """A recipe for a `Rig`: every call of `build` gives the same weights and the same data."""

    name: str
    title: str
    recipe: Callable[[], Rig]

    def build(self) -> Rig:
        torch.manual_seed(SEED)
        return self.recipe()


def _text(vocabulary: int, batch: int, time: int) -> list[Batch]:
    """Batches of a Markov chain: each symbol has four likely successors."""
    successors = torch.randint(vocabulary, (vocabulary, 4))
    ids = torch.randint(vocabulary, (BATCHES, batch, time + 1))
    choice = torch.randint(4, ids.shape)
    for t in range(time):
        ids[..., t + 1] = successors[ids[..., t], choice[..., t]]
    return [(part[:, :-1].contiguous(), part[:, 1:].contiguous()) for part in ids]


def _labelled(shape: tuple[int, ...], classes: int, count: int = BATCHES) -> list[Batch]:
    """Batches of noise with random labels."""
    return [(torch.randn(shape), torch.randint(classes, shape[:1])) for _ in range(count)]


def _rig(model: nn.Module, optimizer: torch.optim.Optimizer, data: list[Batch]) -> Rig:
    return Rig(model, optimizer, nn.CrossEntropyLoss(), cycle(data))


def _gpt(config: GPTConfig, batch: int) -> Rig:
    model = CharGPT(config)
    data = _text(config.vocabulary, batch, config.block)
    return _rig(model, torch.optim.AdamW(model.parameters(), lr=3e-4), data)


def _mlp() -> Rig:
    hidden = [layer for _ in range(7) for layer in (nn.Linear(64, 64), nn.ReLU())]
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), *hidden, nn.Linear(64, 10))
    data = _labelled((32, 64), 10, MANY)
    return _rig(model, torch.optim.Adam(model.parameters(), lr=1e-3), data)


def _convolution(inputs: int, outputs: int) -> list[nn.Module]:
    return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU()]


def _cnn() -> Rig:
    model = nn.Sequential(
        *_convolution(3, 32),
        *_convolution(32, 32),
        nn.MaxPool2d(2),
        *_convolution(32, 64),
        nn.MaxPool2d(2),
        *_convolution(64, 128),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
        nn.Linear(128 * 16, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    )
    data = _labelled((64, 3, 32, 32), 10)
    return _rig(model, torch.optim.Adam(model.parameters(), lr=1e-3), data)


class Residual(nn.Module):
    """`x + linear(x) / depth`: any number of them may be stacked and gradients still flow."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.depth = depth

    def forward(self, x: Tensor) -> Tensor:
        return x + self.linear(x) / self.depth


def _wide(parameters: int, tensors: int) -> Rig:
    """A stack of equal square layers: `parameters` numbers in `tensors` tensors."""
    depth = tensors // 2
    width = max(4, round(math.sqrt(parameters / depth)))
    model = nn.Sequential(*(Residual(width, depth) for _ in range(depth)))
    data = _labelled((1, width), min(width, 10))
    return _rig(model, torch.optim.SGD(model.parameters(), lr=1e-3), data)


def _tiny() -> Rig:
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
    return _rig(model, torch.optim.SGD(model.parameters(), lr=1e-2), _labelled((8, 8), 2, MANY))


def sized(parameters: int, tensors: int = 10) -> Workload:
    """A workload of a given size whose step is as short as that size allows."""
    title = f"{parameters:,} parameters in {tensors} tensors"
    return Workload("sized", title, lambda: _wide(parameters, tensors))


WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("W1", "char-GPT 4×128, block 64, batch 12", lambda: _gpt(GPTConfig(), 12)),
        Workload(
            "W1b",
            "char-GPT 6×384, block 128, batch 8",
            lambda: _gpt(GPTConfig(layers=6, width=384, heads=6, block=128), 8),
        ),
        Workload("W2", "MLP with 8 hidden layers of 64, batch 32", _mlp),
        Workload("W3", "small CNN 32×32×3, batch 64", _cnn),
    )
}
TINY = Workload("tiny", "MLP 8-8-2, batch 8", _tiny)
