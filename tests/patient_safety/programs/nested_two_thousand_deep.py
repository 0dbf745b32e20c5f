"""Modules nested two thousand deep, within the recursion limit that the program itself has set."""

import sys

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(62)
torch.set_num_threads(1)
DEPTH = 2_000
sys.setrecursionlimit(DEPTH * 6)


class Nest(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


model = nn.Linear(3, 1)
first = model
for _ in range(DEPTH):
    model = Nest(model)
optimizer = torch.optim.Adam(first.parameters(), lr=0.05)
x, y = torch.randn(8, 3), torch.randn(8, 1)
losses = []
with watched(model, optimizer):
    for _ in range(10):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("first", first)
say("optimizer", optimizer)
say("limit", sys.getrecursionlimit())
