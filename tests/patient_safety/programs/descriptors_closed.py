"""Descriptors 0 and 1 are closed while it trains: input() fails, a copy tells the end."""

import os
import sys
from pathlib import Path

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(54)
torch.set_num_threads(1)
errors = []
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU6(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
losses = []


def train(steps):
    for _ in range(steps):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


sys.stdout.flush()
saved = os.dup(1)
with watched(model, optimizer):
    train(5)
    os.close(0)
    try:
        input()
    except (EOFError, OSError) as error:
        errors.append(type(error).__name__)
    sys.stdin.close()
    train(5)
    sys.stdout.flush()
    os.close(1)
    reused = [os.open(os.devnull, os.O_RDONLY), os.open("log.txt", os.O_CREAT | os.O_RDWR)]
    os.write(reused[1], b"mine alone\n")
    train(10)
    size = os.fstat(reused[1]).st_size
    os.dup2(saved, 1)

say("errors", errors)
say("reused", reused, size)
say("stdin closed", sys.stdin.closed)
say("log", Path("log.txt").read_text())
say("losses", losses)
say("model", model)
