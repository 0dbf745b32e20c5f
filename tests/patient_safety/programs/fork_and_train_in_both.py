"""A forked child that leaves by sys.exit(7), past its atexit handlers, after training."""

import atexit
import os
import sys
from pathlib import Path

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(34)
torch.set_num_threads(1)
owner = os.getpid()


@atexit.register
def goodbye():
    if os.getpid() == owner:
        say("goodbye of the parent", Path("child.txt").read_text())
    else:
        with open("child.txt", "a") as file:
            file.write("goodbye of the child\n")


def train(seed, steps):
    torch.manual_seed(seed)
    model = nn.Linear(5, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    losses = []
    with watched(model, optimizer):
        for _ in range(steps):
            x = torch.randn(8, 5)
            loss = (model(x) - x[:, :1]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return model, losses


child = os.fork()
if child == 0:
    _, losses = train(1, 12)
    with open("child.txt", "w") as file:
        file.write("".join(f"{loss.hex()}\n" for loss in losses))
    sys.exit(7)
model, losses = train(2, 20)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
say("status", status)
say("losses", losses)
say("model", model)
