"""The program executes itself again with -X dev and the hash seed 7."""

import os
import sys

if not sys.flags.dev_mode:
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    options = ["-X", "dev", "-W", "ignore"]
    os.execve(sys.executable, [sys.executable, *options, os.path.abspath(__file__)], environment)

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(110)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses = []
with watched(model, optimizer):
    for _ in range(20):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("flags", sys.flags.dev_mode, sys.warnoptions)
say("hash", hash("patient"))
say("losses", losses)
say("model", model)
