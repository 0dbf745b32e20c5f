"""Modules whose repr, str, len, bool, iteration and equality raise, or whose hash is always one."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(70)
torch.set_num_threads(1)


def refuse(*args):
    raise TypeError("this module refuses")


class Refusing(nn.Linear):
    __repr__ = __str__ = __len__ = __bool__ = __iter__ = __contains__ = __format__ = refuse
    extra_repr = __dir__ = refuse


class AlwaysEqual(nn.Linear):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class Comparing(nn.Linear):
    def __eq__(self, other):
        return self.weight == other.weight

    def __hash__(self):
        return id(self)


class LossThing(nn.Module):
    def __eq__(self, other):
        raise ValueError("losses are not compared")

    __hash__ = nn.Module.__hash__

    def forward(self, out, y):
        return (out - y).square().mean()


model = nn.Sequential(Refusing(4, 5), AlwaysEqual(5, 5), AlwaysEqual(5, 5), Comparing(5, 1))
criterion = LossThing()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses = []
with watched(model, optimizer):
    for _ in range(16):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("weights", [p.detach() for p in model.parameters()])
say("grads", [p.grad for p in model.parameters()])
