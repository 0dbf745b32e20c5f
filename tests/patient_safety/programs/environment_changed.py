"""The environment, sys.path, sys.argv and builtins are changed by the user in mid-run."""

import builtins
import os
import sys

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(51)
torch.set_num_threads(1)
imports, opened = [], []
real_import, real_open = builtins.__import__, builtins.open


def counting_import(name, globals=None, locals=None, fromlist=(), level=0):
    if globals and globals.get("__name__") == __name__:
        imports.append(name)
    return real_import(name, globals, locals, fromlist, level)


def sandboxed_open(file, *args, **kwargs):
    opened.append(str(file))
    raise PermissionError("no files in the sandbox")


model = nn.Sequential(nn.Linear(4, 5), nn.CELU(), nn.Linear(5, 1))
optimizer = torch.optim.Adamax(model.parameters(), lr=0.02)
x, y = torch.randn(12, 4), torch.randn(12, 1)
argv, losses = list(sys.argv[1:]), []
saved, path = dict(os.environ), list(sys.path)
with watched(model, optimizer):
    for step in range(24):
        if step == 6:
            builtins.__import__ = counting_import
            builtins.open = sandboxed_open
            os.environ.clear()
            os.environ["HOME"] = "/nonexistent"
            os.environ["TMPDIR"] = "/nonexistent/tmp"
            sys.path.clear()
            sys.argv = ["rewritten", "--lr=1"]
        if step == 12:
            import math  # noqa: F401
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    builtins.open, builtins.__import__ = real_open, real_import
seen = [dict(os.environ), list(sys.path), list(sys.argv)]
os.environ.update(saved)
sys.path.extend(path)

say("seen", seen, argv)
say("imports", imports)
say("opened", opened)
say("losses", losses)
say("model", model)
