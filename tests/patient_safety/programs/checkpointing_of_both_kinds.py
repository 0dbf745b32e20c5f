"""Gradient checkpointing with and without reentry, with dropout whose masks must be drawn again."""

import torch
from patient import say, watched
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(5)
torch.set_num_threads(1)
forwards = {"a": 0, "b": 0}


class Block(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.name = name
        self.layers = nn.Sequential(nn.Linear(10, 10), nn.Dropout(0.2), nn.GELU())

    def forward(self, x):
        forwards[self.name] += 1
        return x + self.layers(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.tail = (
            Block("a"),
            Block("b"),
            nn.Sequential(nn.Linear(10, 4), nn.Linear(4, 1)),
        )

    def forward(self, x):
        x = checkpoint(self.a, x, use_reentrant=True)
        x = checkpoint(self.b, x, use_reentrant=False, preserve_rng_state=True)
        return checkpoint_sequential(self.tail, 2, x, use_reentrant=False)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
x, y = torch.randn(32, 10, requires_grad=True), torch.randn(32, 1)
losses, states = [], []
with watched(model, optimizer):
    for _ in range(15):
        loss = (model(x) - y).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        states.append(torch.rand(1).item())

say("losses", losses)
say("draws after every step", states)
say("forwards", forwards)
say("model", model)
say("input grad", x.grad)
