"""SystemExit(3) raised by a forward hook of an inner layer, through a finally that still trains."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(98)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses = []


def leave(module, args, output):
    if len(losses) == 14:
        raise SystemExit(3)


def step():
    loss = (model(x) - y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())


handle = model[1].register_forward_hook(leave)
with watched(model, optimizer):
    try:
        while True:
            step()
    finally:
        handle.remove()
        for _ in range(5):
            step()
        say("losses", losses)
        say("model", model)
        say("optimizer", optimizer)
