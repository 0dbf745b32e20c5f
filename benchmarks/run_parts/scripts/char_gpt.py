"""A character-level GPT (four blocks of width 128) on the help texts of Python."""

import math
import sys
from pydoc_data.topics import topics

import torch
from torch import nn
from torch.nn import functional as F

BLOCK, BATCH, WIDTH, HEADS, LAYERS = 64, 12, 128, 4, 4

torch.set_num_threads(1)
torch.manual_seed(0)
text = "\n".join(topics.values())
alphabet = sorted(set(text))
ids = torch.tensor([alphabet.index(character) for character in text])


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (
            part.view(b, t, HEADS, c // HEADS).transpose(1, 2)
            for part in self.qkv(x).split(WIDTH, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(WIDTH)
        self.attn = Attention()
        self.ln2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(len(alphabet), WIDTH)
        self.wpe = nn.Embedding(BLOCK, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.ln = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, len(alphabet), bias=False)

    def forward(self, x):
        x = self.wte(x) + self.wpe(torch.arange(x.shape[1]))
        return self.head(self.ln(self.blocks(x)))


def batch():
    starts = torch.randint(len(ids) - BLOCK, (BATCH, 1))
    pieces = ids[starts + torch.arange(BLOCK + 1)]
    return pieces[:, :-1], pieces[:, 1:]


model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
for _ in range(int(sys.argv[1])):
    x, y = batch()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f} of {math.log(len(alphabet)):.3f}")
