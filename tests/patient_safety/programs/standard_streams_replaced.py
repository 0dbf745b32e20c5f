"""stdout is redirected, then a bare object without isatty or fileno, then None, then as before."""

import contextlib
import io
import sys

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(53)
torch.set_num_threads(1)


class Bare:
    def __init__(self):
        self.parts = []

    def write(self, text):
        self.parts.append(text)


model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)


def train(steps, talk=True):
    for step in range(steps):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if talk:
            print(f"{step}: {loss.item():.9f}")  # noqa: T201


stdout, stderr = sys.stdout, sys.stderr
kept, errors, bare = io.StringIO(), io.StringIO(), Bare()
with watched(model, optimizer):
    with contextlib.redirect_stdout(kept), contextlib.redirect_stderr(errors):
        train(10)
    sys.stdout = sys.stderr = bare
    train(10)
    sys.stdout = sys.stderr = None
    train(5, talk=False)
    sys.stdout, sys.stderr = stdout, stderr

say("kept", kept.getvalue(), errors.getvalue())
say("bare", "".join(bare.parts))
say("streams", sys.stdout is stdout, sys.stderr is stderr, sys.__stdout__ is stdout)
say("model", model)
