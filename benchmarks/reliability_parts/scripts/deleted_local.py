"""A function that deletes 200 MB before it makes another 200 MB."""

import os

import torch
from torch import nn

torch.manual_seed(0)
MANY = 50 * 2**20  # numbers of 4 bytes
model = nn.Linear(1024, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
if "WATCH" in os.environ:
    import paramedic

    paramedic.watch(model, optimizer)


def step() -> float:
    large = torch.ones(MANY)
    batch = large.view(-1, 1024)[:64].clone()
    loss = (model(batch) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    del large
    other = torch.ones(MANY)
    return float(loss) + float(other[0])


def with_inputs() -> float:
    large = torch.ones(MANY).view(-1, 1024)
    outputs = model(large)
    loss = (outputs - 1).pow(2).mean()
    del large, outputs
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    other = torch.ones(MANY)
    return float(loss) + float(other[0])


print([step() for _ in range(8)] + [with_inputs() for _ in range(8)])
