"""os._exit(5) in mid-run with an unflushed file open and a daemon thread still at work."""

import os
import sys
import threading

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(100)
torch.set_num_threads(1)

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
threading.Thread(target=threading.Event().wait, daemon=True).start()
losses = []
log = open("log.txt", "w")  # noqa: SIM115
with watched(model, optimizer):
    for step in range(40):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        log.write(f"{step}\n")
        if step == 25:
            say("losses", losses)
            say("model", model)
            say("written", os.path.getsize("log.txt"))
            sys.stdout.flush()
            os._exit(5)
