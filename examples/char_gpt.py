"""A small character-level GPT on any text, watched by Paramedic.

    python examples/char_gpt.py --text FILE --steps 300
    python examples/char_gpt.py --inject non-finite --at 100

Without a file it learns from the help texts of Python itself.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

import paramedic
from paramedic.probe.monitor import Monitor

DEFAULTS = {
    "steps": 300, "batch": 32, "context": 64, "layers": 2, "width": 64, "heads": 4,
    "dropout": 0.1, "rate": 3e-3, "seed": 0,
}  # fmt: skip


class Attention(nn.Module):
    """Multi-head attention that sees only the past."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, time, width = x.shape
        shape = (batch, time, self.heads, width // self.heads)
        parts = self.query_key_value(x).chunk(3, -1)
        query, key, value = (part.view(shape).transpose(1, 2) for part in parts)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.project(mixed.transpose(1, 2).reshape(batch, time, width))


class Block(nn.Module):
    """Attention, then a perceptron; both are added to what comes in."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norm_attention = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm_perceptron = nn.LayerNorm(width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.dropout(self.attention(self.norm_attention(x)))
        return x + self.dropout(self.perceptron(self.norm_perceptron(x)))


class CharGPT(nn.Module):
    """Characters `(batch, time)` to a score for each next character."""

    def __init__(self, characters: int, options: argparse.Namespace) -> None:
        super().__init__()
        width = options.width
        self.tokens = nn.Embedding(characters, width)
        self.positions = nn.Embedding(options.context, width)
        self.blocks = nn.Sequential(
            *(Block(width, options.heads, options.dropout) for _ in range(options.layers))
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, characters, bias=False)
        self.apply(_initialise)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


class Text:
    """A text as numbers; the last tenth of it is for validation."""

    def __init__(self, text: str, context: int) -> None:
        self.alphabet = sorted(set(text))
        place = {character: number for number, character in enumerate(self.alphabet)}
        ids = torch.tensor([place[character] for character in text])
        cut = len(ids) * 9 // 10
        self.parts = {"train": ids[:cut], "validation": ids[cut:]}
        self.context = context
        if len(self.parts["validation"]) <= context:
            raise SystemExit(f"The text has {len(text)} characters: that is too short.")

    def batch(self, part: str, size: int) -> tuple[Tensor, Tensor]:
        """Pieces of the text, and the same one character later."""
        ids = self.parts[part]
        starts = torch.randint(len(ids) - self.context, (size, 1))
        pieces = ids[starts + torch.arange(self.context + 1)]
        return pieces[:, :-1], pieces[:, 1:]


def read(path: Path | None) -> str:
    """The text of a file, or the help texts that come with Python."""
    if path is not None:
        return path.read_text(encoding="utf-8", errors="replace")
    from pydoc_data.topics import topics

    return "\n".join(topics.values())


def loss_of(model: CharGPT, inputs: Tensor, targets: Tensor) -> Tensor:
    return functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


@torch.no_grad()
def validate(model: CharGPT, text: Text, size: int) -> float:
    model.eval()
    losses = [loss_of(model, *text.batch("validation", size)).item() for _ in range(4)]
    model.train()
    return sum(losses) / len(losses)


@torch.no_grad()
def write(model: CharGPT, text: Text, length: int = 160) -> str:
    """What the model makes up after a line break."""
    model.eval()
    ids = torch.zeros(1, 1, dtype=torch.long)
    for _ in range(length):
        scores = model(ids[:, -text.context :])[0, -1]
        ids = torch.cat([ids, torch.multinomial(scores.softmax(-1), 1)[None]], dim=1)
    return "".join(text.alphabet[number] for number in ids[0, 1:].tolist())


def train(model: CharGPT, text: Text, options: argparse.Namespace) -> Monitor:
    """The training loop of every tutorial: watched, and made sick if asked."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate)
    with contextlib.ExitStack() as stack:
        monitor = stack.enter_context(paramedic.watch(model, optimizer, trace=options.trace))
        if options.inject:
            fault = paramedic.inject(model, optimizer, options.inject, at=options.at)
            stack.enter_context(fault)
        for step in range(1, options.steps + 1):
            inputs, targets = text.batch("train", options.batch)
            if options.inject:
                inputs, targets = fault.batch(inputs, targets)
            loss = loss_of(model, inputs, targets)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % max(options.steps // 10, 1) == 0:
                validation = validate(model, text, options.batch)
                monitor.epoch(val_loss=validation)
                print(f"step {step:5}   loss {loss.item():.3f}   validation {validation:.3f}")
    return monitor


def tell(monitor: Monitor) -> None:
    """The verdict: how the run is, the root cause first, and then what follows from it."""
    looks, steps = sum(monitor.spent["looks"].values()), monitor.spent["steps"]
    print(f"\nVerdict: {monitor.verdict}; {looks} of {steps} steps were looked at.")
    for finding in monitor.findings:
        print(f"  {finding.slug} ({finding.code}), step {finding.step}: {finding.message}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--text", type=Path, help="any text file")
    for name, default in DEFAULTS.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--trace", type=Path, help="a file to record to")
    parser.add_argument("--inject", nargs="+", metavar="FAULT", help="make the run sick")
    parser.add_argument("--at", type=int, default=100, help="the step at which the fault begins")
    options = parser.parse_args()

    logging.basicConfig(format="%(message)s")  # findings, as soon as they are certain
    torch.manual_seed(options.seed)
    text = Text(read(options.text), options.context)
    model = CharGPT(len(text.alphabet), options)
    print(f"{sum(one.numel() for one in model.parameters()):,} parameters")
    monitor = train(model, text, options)
    if monitor.verdict == "learning":
        print(f"\nIt writes:\n{write(model, text)}")
    tell(monitor)


if __name__ == "__main__":
    main()
