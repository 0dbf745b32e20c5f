"""Batches, outputs and losses must die when their names do, with the collector off."""

import gc
import sys
import weakref

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(75)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
inner = []
model[1].register_forward_hook(lambda m, args, out: inner.append(weakref.ref(out)))
losses, alive, counts = [], [], []
gc.collect()
gc.disable()
with watched(model, optimizer):
    for _ in range(20):
        x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
        refs = [weakref.ref(x), weakref.ref(y)]
        out = model(x)
        refs.append(weakref.ref(out))
        loss = nn.functional.cross_entropy(out, y)
        refs.append(weakref.ref(loss))
        counts.append([sys.getrefcount(t) for t in (x, y, out, loss)])
        optimizer.zero_grad()
        loss.backward()
        counts.append([sys.getrefcount(t) for t in (x, y, out, loss)])
        optimizer.step()
        losses.append(loss.item())
        del x, y
        alive.append([ref() is not None for ref in refs + inner[-1:]])
        del out, loss
        alive.append([ref() is not None for ref in refs + inner[-1:]])
        refs.append(weakref.ref(next(model.parameters()).grad))
        optimizer.zero_grad()
        alive.append([refs[-1]() is not None])

say("losses", losses)
say("alive", alive)
say("reference counts", counts)
say("model", model)
say("garbage", len(gc.garbage))
