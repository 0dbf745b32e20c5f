"""Who is trained: small char-GPTs that differ in text, size, optimizer, schedule and seed."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
from overhead_parts.gpt import CharGPT, GPTConfig
from torch import Tensor
from torch.nn import functional

from . import texts

BLOCK = 32
SIZES = {  # layers, width, heads, samples of a batch
    "tiny": (1, 16, 2, 4),  # of the smoke test
    "0.1M": (1, 96, 4, 8),
    "0.3M": (3, 96, 4, 8),
    "0.8M": (4, 128, 4, 8),
}
RATES = {"adamw": 2e-3, "adam": 1e-3, "sgd": 0.1}
SLOWER = {"0.8M": 0.5}  # of the rate: deeper ones rest on a plateau at more
WARM = 0.05  # share of the steps over which the rate warms up


@dataclass(frozen=True, slots=True)
class Patient:
    """One training, fixed in every detail: the same patient gives the same run."""

    text: str
    seed: int = 0
    size: str = "0.1M"
    optimizer: str = "adamw"
    schedule: str = "constant"
    clip: float | None = None
    steps: int = 400

    @property
    def name(self) -> str:
        """For tables."""
        clip = "" if self.clip is None else f", clip {self.clip:g}"
        return f"{self.text} {self.size} {self.optimizer} {self.schedule}{clip}, seed {self.seed}"

    @property
    def highest_rate(self) -> float:
        """What a schedule begins with, or reaches."""
        return RATES[self.optimizer] * SLOWER.get(self.size, 1.0)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    def build(self) -> tuple[CharGPT, torch.optim.Optimizer]:
        """The model with its optimizer, before the first step."""
        torch.manual_seed(self.seed)
        layers, width, heads, _ = SIZES[self.size]
        model = CharGPT(GPTConfig(layers, width, heads, BLOCK, texts.ALPHABET))
        rate = self.highest_rate
        if self.optimizer == "sgd":
            return model, torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
        if self.optimizer == "adam":
            return model, torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.95))
        return model, torch.optim.AdamW(model.parameters(), lr=rate)

    def rate(self, step: int) -> float:
        """The learning rate of a step, by the schedule."""
        rate = self.highest_rate
        warmed = rate * min(1.0, (step + 1) / max(WARM * self.steps, 1.0))
        if self.schedule == "constant":
            return warmed
        return warmed * (0.05 + 0.95 * math.cos(math.pi * step / self.steps / 2) ** 2)

    def batch(self, step: int) -> tuple[Tensor, Tensor]:
        """The batch of a step: of all twins of a run the same."""
        size = SIZES[self.size][3]
        return texts.batch(self.text, "train", size, BLOCK, 1_000_003 * self.seed + step)

    @torch.no_grad()
    def validate(self, model: CharGPT) -> float:
        """The loss on 256 pieces of the end of the text."""
        model.eval()
        inputs, targets = texts.batch(self.text, "validation", 256, BLOCK, 77)
        loss = loss_of(model, inputs, targets).item()
        model.train()
        return loss


def loss_of(model: CharGPT, inputs: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy of the next characters."""
    return functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
