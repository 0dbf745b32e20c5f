"""chdir in mid-run, relative files, a umask, and at last the working folder itself is deleted."""

import os
import shutil
import stat
import tempfile

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(50)
torch.set_num_threads(1)

start = os.getcwd()
before = sorted(os.listdir("."))
other = tempfile.mkdtemp()
old_umask = os.umask(0o077)
model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 3), torch.randn(12, 1)
losses, facts = [], []
with watched(model, optimizer):
    for step in range(30):
        if step == 8:
            os.chdir(other)
        if step == 15:
            torch.save(model.state_dict(), "middle.pt")
            facts += [sorted(os.listdir(other)), stat.S_IMODE(os.stat("middle.pt").st_mode)]
        if step == 20:
            os.mkdir("inner")
            os.chdir("inner")
            shutil.rmtree(other)
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

try:
    facts.append(os.getcwd())
except FileNotFoundError as error:
    facts.append(f"errno {error.errno}")
say("facts", facts)
say("umask", os.umask(old_umask))
say("files", before, os.path.exists(other))
os.chdir(start)
say("losses", losses)
say("model", model)
