"""A module that forbids new attributes, and an optimizer, count every attribute that is set."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(71)
torch.set_num_threads(1)
changes = []


class Slotted(nn.Module):
    __slots__ = ("scale",)
    frozen = False

    def __init__(self):
        super().__init__()
        self.linear, self.scale = nn.Linear(4, 4), 1.0
        self.frozen = True

    def __setattr__(self, name, value):
        changes.append(f"set {name}")
        if self.frozen and name != "scale":
            raise AttributeError(f"no new attribute {name}")
        super().__setattr__(name, value)

    def __delattr__(self, name):
        changes.append(f"del {name}")
        super().__delattr__(name)

    def forward(self, x):
        self.scale = self.scale * 0.99
        return torch.tanh(self.linear(x)) * self.scale


class Guarded(torch.optim.SGD):
    def __setattr__(self, name, value):
        changes.append(f"optimizer {name}")
        super().__setattr__(name, value)


model = nn.Sequential(Slotted(), nn.Linear(4, 1))
optimizer = Guarded(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
before = [sorted(vars(m)) for m in model.modules()]
losses = []
with watched(model, optimizer):
    for _ in range(15):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("changes", changes)
say("attributes", before == [sorted(vars(m)) for m in model.modules()], sorted(vars(model[1])))
say("model", model)
say("optimizer", optimizer)
