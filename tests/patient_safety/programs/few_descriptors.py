"""Only 64 descriptors may be open; the user fills almost all and counts what is left."""

import os
import resource

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(80)
torch.set_num_threads(1)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
errors = []


def fill():
    taken = []
    try:
        while True:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        errors.append(error.errno)
    return taken


model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, taken = [], []
with watched(model, optimizer):
    for step in range(30):
        if step == 5:
            taken = fill()
        if step == 20:
            for descriptor in taken:
                os.close(descriptor)
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

with open("notes.txt", "w") as file:
    file.write("still possible")
say("errors", errors, len(taken) > 30)
say("limit", resource.getrlimit(resource.RLIMIT_NOFILE)[0])
say("losses", losses)
say("model", model)
