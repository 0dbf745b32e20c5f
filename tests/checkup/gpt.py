"""A small GPT in which every part can be broken on purpose."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

VOCABULARY, LENGTH, WIDTH = 31, 16, 32


class CausalAttention(nn.Module):
    """As in nanoGPT, with the mask as a buffer. `fault` names what is wrong with it."""

    def __init__(self, width: int, heads: int, length: int, fault: str = "") -> None:
        super().__init__()
        self.heads, self.fault = heads, fault
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.drop = nn.Dropout(0.1)
        reach = {"off-by-one mask": 1, "mask without self": -1}.get(fault, 0)
        self.register_buffer("mask", torch.tril(torch.ones(length, length), reach).bool())

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        if self.fault == "batch and time mixed up":
            q, k, v = (
                one.reshape(b, t, self.heads, -1).permute(1, 2, 0, 3)
                for one in self.qkv(x).chunk(3, -1)
            )
            y = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v
            return self.proj(y.permute(2, 0, 1, 3).reshape(b, t, c))
        q, k, v = (
            one.reshape(b, t, self.heads, -1).transpose(1, 2) for one in self.qkv(x).chunk(3, -1)
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        y = self.weights(scores, t) @ v
        return self.drop(self.proj(y.transpose(1, 2).reshape(b, t, c)))

    def weights(self, scores: Tensor, t: int) -> Tensor:
        mask = self.mask[:t, :t]
        if self.fault == "no mask":
            return scores.softmax(-1)
        if self.fault == "mask after softmax":
            return scores.softmax(-1) * mask
        if self.fault == "no softmax":
            return scores.masked_fill(~mask, 0.0)
        if self.fault == "softmax over queries":
            return scores.masked_fill(~mask, -1e9).softmax(-2)
        if self.fault == "mask without self":
            return scores.masked_fill(~mask, -1e9).softmax(-1)
        return self.drop(scores.masked_fill(~mask, -torch.inf).softmax(-1))


class Block(nn.Module):
    def __init__(self, width: int, heads: int, length: int, fault: str = "") -> None:
        super().__init__()
        bare = fault == "no layer norm"
        self.ln1 = nn.Identity() if bare else nn.LayerNorm(width)
        self.ln2 = nn.Identity() if bare else nn.LayerNorm(width)
        self.attn = CausalAttention(width, heads, length, fault)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    """Tied weights, N(0, 0.02²), its own loss when it gets targets."""

    def __init__(self, layers: int = 2, fault: str = "", zero_positions: bool = False) -> None:
        super().__init__()
        self.fault = fault
        self.token = nn.Embedding(VOCABULARY, WIDTH)
        if fault != "no positions":
            self.position = nn.Parameter(torch.zeros(1, LENGTH, WIDTH))
        self.drop = nn.Dropout(0.1)
        self.blocks = nn.ModuleList(Block(WIDTH, 4, LENGTH, fault) for _ in range(layers))
        self.ln = nn.Identity() if fault == "no layer norm" else nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.token.weight
        self.apply(self._init)
        for name, one in self.named_parameters():
            if name.endswith("proj.weight"):
                nn.init.normal_(one, std=0.02 / math.sqrt(2 * layers))
        if not zero_positions and fault != "no positions":
            nn.init.normal_(self.position, std=0.02)
        if fault == "no layer norm":
            for block in self.blocks:
                for layer in block.modules():
                    if isinstance(layer, nn.Linear):
                        nn.init.kaiming_normal_(layer.weight)

    @staticmethod
    def _init(module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(
        self, tokens: Tensor, targets: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        x = self.token(tokens)
        if self.fault != "no positions":
            x = x + self.position[:, : tokens.shape[1]]
        x = self.drop(x)
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss


def tokens(samples: int = 6, length: int = LENGTH) -> tuple[Tensor, Tensor]:
    """Tokens and the tokens that follow: a walk with some chance."""
    generator = torch.Generator().manual_seed(3)
    steps = torch.randint(1, 5, (samples, length + 1), generator=generator)
    text = (steps.cumsum(1) * 7) % VOCABULARY
    return text[:, :-1], text[:, 1:]
