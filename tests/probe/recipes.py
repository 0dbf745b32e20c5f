"""Small training loops of many kinds, each a fresh, deterministic run of a number of steps.

A recipe builds its own model and data from a fixed seed. `around(model, optimizers)` gives the
context it trains in: nothing, or a monitor. It returns everything that a monitor must not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Around = Callable[[Any, Any], AbstractContextManager[Any]]
Loop = Callable[[int, Around], "Result"]


@dataclass
class Result:
    weights: dict[str, Tensor]
    optimizer: list[Any]
    random: Tensor
    batches: list[int]
    losses: list[float]


def _data(n: int = 256, features: int = 12, classes: int = 4) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(n, features, generator=generator)
    return x, (x[:, :classes]).argmax(dim=1)


def _shuffled(n: int, size: int) -> Iterator[Tensor]:
    """Batches in an order drawn from the global random stream, as a DataLoader does."""
    while True:
        yield from torch.randperm(n).split(size)


def _result(
    model: nn.Module, optimizers: list[Any], batches: list[int], losses: list[float]
) -> Any:
    return Result(
        {name: value.clone() for name, value in model.state_dict().items()},
        [optimizer.state_dict()["state"] for optimizer in optimizers],
        torch.get_rng_state(),
        batches,
        losses,
    )


def mlp_adam(steps: int, around: Around) -> Result:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 4)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    return _classify(model, optimizer, steps, around)


def _classify(
    model: nn.Module, optimizer: Any, steps: int, around: Around, images: bool = False
) -> Result:
    x, y = _data(features=64 if images else 12)
    x = x.reshape(-1, 1, 8, 8) if images else x
    order, batches, losses = _shuffled(len(x), 16), [], []
    with around(model, optimizer):
        for _ in range(steps):
            index = next(order)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x[index]), y[index])
            loss.backward()
            optimizer.step()
            batches += index.tolist()
            losses.append(loss.item())
    return _result(model, [optimizer], batches, losses)


def cnn_sgd(steps: int, around: Around) -> Result:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(32, 4),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    return _classify(model, optimizer, steps, around, images=True)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 16, num_layers=2, dropout=0.2, batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.lstm(x.reshape(len(x), 4, 3))
        return self.head(states[:, -1])


def lstm(steps: int, around: Around) -> Result:
    torch.manual_seed(0)
    model = Recurrent()
    return _classify(model, torch.optim.RMSprop(model.parameters(), lr=1e-3), steps, around)


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = (
            part.reshape(b, t, self.heads, -1).transpose(1, 2)
            for part in self.qkv(self.norm1(x)).chunk(3, dim=-1)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.dropout(self.out(y.transpose(1, 2).reshape(b, t, c)))
        return x + self.mlp(self.norm2(x))


class CharGPT(nn.Module):
    """A character-level GPT with tied embeddings."""

    def __init__(self, vocabulary: int = 17, width: int = 16, block: int = 12) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.zeros(block, width))
        self.blocks = nn.ModuleList([Block(width, 2) for _ in range(2)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def gpt_clipped(steps: int, around: Around) -> Result:
    torch.manual_seed(0)
    model = CharGPT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    text = (torch.arange(600) ** 2 + 3 * torch.arange(600)) % 17
    batches, losses = [], []
    with around(model, optimizer):
        for _ in range(steps):
            starts = torch.randint(0, 580, (8,))
            block = torch.stack([text[start : start + 13] for start in starts.tolist()])
            logits = model(block[:, :-1])
            loss = F.cross_entropy(logits.reshape(-1, 17), block[:, 1:].reshape(-1))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            batches += starts.tolist()
            losses.append(loss.item())
    return _result(model, [optimizer], batches, losses)


def amp_bf16(steps: int, around: Around) -> Result:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    x, y = _data()
    order, batches, losses = _shuffled(len(x), 16), [], []
    with around(model, optimizer):
        for _ in range(steps):
            index = next(order)
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(model(x[index]), y[index])
            loss.backward()
            optimizer.step()
            batches += index.tolist()
            losses.append(loss.item())
    return _result(model, [optimizer], batches, losses)


def accumulation(steps: int, around: Around) -> Result:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, y = _data()
    order, batches, losses = _shuffled(len(x), 8), [], []
    with around(model, optimizer):
        for _ in range(steps):
            optimizer.zero_grad()
            total = 0.0
            for _ in range(4):
                index = next(order)
                loss = F.cross_entropy(model(x[index]), y[index]) / 4
                loss.backward()
                total += loss.item()
                batches += index.tolist()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            losses.append(total)
    return _result(model, [optimizer], batches, losses)


def two_optimizers(steps: int, around: Around) -> Result:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
    first = torch.optim.Adam(model[0].parameters(), lr=1e-3)
    second = torch.optim.SGD(model[2].parameters(), lr=0.1)
    x, y = _data()
    order, batches, losses = _shuffled(len(x), 16), [], []
    with around(model, [first, second]):
        for _ in range(steps):
            index = next(order)
            first.zero_grad()
            second.zero_grad()
            loss = F.cross_entropy(model(x[index]), y[index])
            loss.backward()
            first.step()
            second.step()
            batches += index.tolist()
            losses.append(loss.item())
    return _result(model, [first, second], batches, losses)


RECIPES: dict[str, Loop] = {
    loop.__name__: loop
    for loop in (mlp_adam, cnn_sgd, lstm, gpt_clipped, amp_bf16, accumulation, two_optimizers)
}
