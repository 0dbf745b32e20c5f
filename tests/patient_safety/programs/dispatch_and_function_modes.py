"""A TorchDispatchMode and a TorchFunctionMode of the user's count every operation of the loop."""

from collections import Counter

import torch
from patient import say, watched
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

torch.manual_seed(42)
torch.set_num_threads(1)


class CountOps(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.counts = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.counts[str(func)] += 1
        return func(*args, **(kwargs or {}))


class CountFunctions(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.counts = Counter()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.counts[getattr(func, "__name__", "?")] += 1
        return func(*args, **(kwargs or {}))


model = nn.Sequential(nn.Linear(4, 6), nn.Hardtanh(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, foreach=False)
x, y = torch.randn(8, 4), torch.randn(8, 1)
ops, functions, losses = CountOps(), CountFunctions(), []
with watched(model, optimizer):
    for _ in range(12):
        with ops, functions:
            optimizer.zero_grad()
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("operations", dict(sorted(ops.counts.items())))
say("functions", dict(sorted(functions.counts.items())))
say("model", model)
say("optimizer", optimizer)
