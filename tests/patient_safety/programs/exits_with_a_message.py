"""sys.exit with a message inside the watched loop: the message on stderr and exit code 1."""

import sys

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(97)
torch.set_num_threads(1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses = []
with watched(model, optimizer):
    for step in range(100):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step > 10 and losses[-2] - losses[-1] < 1e-3:
            say("losses", losses)
            say("model", model)
            sys.exit(f"no progress since step {step}")
