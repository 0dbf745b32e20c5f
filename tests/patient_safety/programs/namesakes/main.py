"""Modules beside the script are named like standard ones: statistics, trace, html and shlex."""

import html
import shlex
import statistics
import sys
import trace
from pathlib import Path

import torch
from torch import nn

sys.path.append(str(Path(__file__).resolve().parent.parent))
from patient import say, watched

torch.manual_seed(60)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 4), torch.randn(12, 1)
losses = statistics.Running()
with watched(model, optimizer):
    for step in range(20):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.add(loss.item())
        trace.note(step)

say("mean", losses.mean, losses.count)
say("steps", trace.STEPS)
say("page", html.page(losses.mean), shlex.WORDS)
say("modules", [Path(m.__file__).parent.name for m in (html, shlex, statistics, trace)])
say("model", model)
