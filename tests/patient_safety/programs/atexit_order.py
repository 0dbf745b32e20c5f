"""Handlers at exit run in reverse order, one of them trains, and sys.exit gives exit code 3."""

import atexit
import sys
import threading
import weakref

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(36)
torch.set_num_threads(1)
order = []
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)


def train(steps):
    losses = []
    for _ in range(steps):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@atexit.register
def last():
    order.append("last")
    say("order", order)
    say("model", model)


@atexit.register
def trains():
    order.append("trains")
    say("losses at exit", train(5))
    say("threads", sorted(t.name for t in threading.enumerate() if not t.daemon))


atexit.register(order.append, "first")
finalizer = weakref.finalize(model, order.append, "finalizer")
finalizer.atexit = True
with watched(model, optimizer):
    say("losses", train(20))
sys.exit(3)
