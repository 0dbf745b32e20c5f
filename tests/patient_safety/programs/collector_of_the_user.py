"""The user's own gc callbacks, thresholds, freeze and manual collections around every epoch."""

import gc

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(76)
torch.set_num_threads(1)
phases = []


def on_collection(phase, info):
    if info["generation"] == 2:
        phases.append(phase)


model = nn.Sequential(nn.Linear(4, 8), nn.SELU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
gc.set_threshold(100_000, 50, 1000)
gc.collect()
gc.freeze()
gc.disable()
gc.callbacks.append(on_collection)
losses, collected = [], []
with watched(model, optimizer):
    for step in range(30):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        cycle = [step]
        cycle.append(cycle)
        del cycle
        if step % 10 == 9:
            collected.append(gc.collect() >= 10)
frozen = gc.get_freeze_count() > 0
gc.unfreeze()

say("losses", losses)
say("phases", phases)
say("collected", collected, frozen)
say("settings", gc.isenabled(), list(gc.get_threshold()), gc.get_debug(), len(gc.callbacks))
say("model", model)
