"""Losses become NaN and infinite on purpose, steps are skipped, and the loss ends as a float."""

import math

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(67)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
good = {k: v.clone() for k, v in model.state_dict().items()}
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, skipped = [], []
with watched(model, optimizer):
    for step in range(36):
        factor = {5: math.nan, 11: math.inf, 17: -math.inf, 23: 1e38}.get(step, 1.0)
        loss = (model(x * factor if step == 23 else x) - y).square().mean() * factor
        optimizer.zero_grad()
        loss.backward()
        loss = loss.item()
        if math.isnan(loss) and step < 10:
            skipped.append(step)
            continue
        optimizer.step()
        losses.append(loss)
        if any(not p.isfinite().all() for p in model.parameters()):
            skipped.append(step)
            model.load_state_dict(good)
            optimizer.state.clear()

say("losses", losses)
say("skipped", skipped)
say("model", model)
say("optimizer", optimizer)
