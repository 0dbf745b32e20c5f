"""The recursion limit is only 120 above the depth here, and a deep recursion is caught."""

import inspect
import sys

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(78)
torch.set_num_threads(1)


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


model = nn.Sequential(nn.Linear(4, 6), nn.Sequential(nn.Tanh(), nn.Linear(6, 6)), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
optimizer.zero_grad()
model(x).sum().backward()
optimizer.step()
losses, caught = [], []
limit, old = len(inspect.stack()) + 120, sys.getrecursionlimit()
with watched(model, optimizer):
    sys.setrecursionlimit(limit)
    for step in range(20):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        try:
            caught.append(deep(10_000 if step % 2 else 60))
        except RecursionError as error:
            caught.append(type(error).__name__)
    unchanged = sys.getrecursionlimit() == limit
    sys.setrecursionlimit(old)

say("losses", losses)
say("caught", caught)
say("limit", unchanged)
say("model", model)
say("optimizer", optimizer)
