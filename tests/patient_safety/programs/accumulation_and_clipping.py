"""Gradients accumulated over uneven micro-batches and clipped, with none set between some steps."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(21)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(6, 12), nn.LayerNorm(12), nn.GELU(), nn.Linear(12, 4))
optimizer = torch.optim.RAdam(model.parameters(), lr=0.01)
x, y = torch.randn(64, 6), torch.randint(0, 4, (64,))
losses, norms, order = [], [], torch.randperm(64)
with watched(model, optimizer):
    for step in range(16):
        for chunk in order.split([7, 20, 1, 36]):
            loss = nn.functional.cross_entropy(model(x[chunk]), y[chunk], reduction="sum") / 64
            loss.backward()
            losses.append(loss.item())
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5, foreach=bool(step % 2))
        norms.append(norm)
        optimizer.step()
        if step % 4 == 3:
            for p in model.parameters():
                p.grad.zero_()
        else:
            optimizer.zero_grad()

say("losses", losses)
say("norms", norms)
say("model", model)
say("optimizer", optimizer)
