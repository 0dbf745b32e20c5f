"""Lazy modules, whose parameters take their shapes in the first forward inside the loop."""

import torch
from patient import say, watched
from torch import nn
from torch.nn.parameter import is_lazy

torch.manual_seed(9)
torch.set_num_threads(1)

model = nn.Sequential(
    nn.LazyConv1d(4, 3), nn.LazyBatchNorm1d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2)
)
types_before = [type(m).__name__ for m in model]
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 2, 10), torch.randint(0, 2, (16,))
losses, lazy = [], []
with watched(model, optimizer):
    for _ in range(15):
        lazy.append(sum(is_lazy(p) for p in model.parameters()))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("lazy", lazy)
say("types", types_before, [type(m).__name__ for m in model])
say("hooks", [len(m._forward_pre_hooks) for m in model])
say("model", model)
say("optimizer", optimizer)
