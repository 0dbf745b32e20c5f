"""The program kills itself by SIGTERM in mid-run, whose default action must still apply (-15)."""

import os
import signal

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(99)
torch.set_num_threads(1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses = []
with watched(model, optimizer):
    for step in range(40):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step == 25:
            say("losses", losses)
            say("model", model)
            os.kill(os.getpid(), signal.SIGTERM)
            say("still alive", step)
