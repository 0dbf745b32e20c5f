"""Batches of size zero, a model without parameters, and outputs that are scalars."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(63)
torch.set_num_threads(1)


class Scalar(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 1)
        self.offset = nn.Parameter(torch.tensor(0.5))
        self.nothing = nn.Parameter(torch.empty(0, 3))

    def forward(self, x):
        return (self.linear(x).sum() + self.nothing.sum()) * self.offset


class Nothing(nn.Module):
    def forward(self):
        return None


model, nothing = Scalar(), Nothing()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
losses, means = [], []
with watched(model, optimizer):
    for step in range(20):
        x = torch.randn(step % 3, 3)
        loss = model(x) ** 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        means.append(model.linear(x).mean().isnan().item())
with watched(nothing, None):
    for _ in range(10):
        assert nothing() is None
leaf = torch.tensor([2.0], requires_grad=True)
by_hand = torch.optim.SGD([leaf], lr=0.1)
with watched(nn.Identity(), by_hand):
    for _ in range(10):
        by_hand.zero_grad()
        leaf.pow(2).sum().backward()
        by_hand.step()

say("losses", losses)
say("means", means)
say("model", model)
say("optimizer", optimizer)
say("leaf", leaf, leaf.grad)
