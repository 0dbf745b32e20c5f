"""Modules whose __getattr__ answers everything, raises oddly, counts, or delegates to another."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(69)
torch.set_num_threads(1)
asked = []


class Delegating(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            asked.append(name)
            return getattr(super().__getattr__("inner"), name)

    def forward(self, x):
        return self.inner(x) * self.gain


class Gain(nn.Linear):
    gain = property(lambda self: 0.5 + self.in_features / 10)


class Raising(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 5)

    def __getattr__(self, name):
        if name in ("_parameters", "_buffers", "_modules"):
            raise AttributeError(name)
        if name == "linear":
            return self._modules["linear"]
        raise LookupError(f"asked for {name}")

    @property
    def expensive(self):
        raise RuntimeError("nobody may look at this property")

    def forward(self, x):
        return self.linear(x).tanh()


class Magic(nn.Module):
    def __getattr__(self, name):
        return lambda *args, **kwargs: asked.append(f"magic {name}")

    def forward(self, x):
        self.log("anything", x)
        return x + 1


model = nn.Sequential(Delegating(Gain(4, 5)), Raising(), Magic(), nn.Linear(5, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses = []
with watched(model, optimizer):
    for _ in range(12):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("asked", asked)
say("losses", losses)
say("layers", model[0].inner, model[1].linear, model[3])
