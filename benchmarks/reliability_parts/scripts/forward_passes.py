"""Some training, then 600 forward passes with gradients that nobody asks for."""

import os

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*(part for _ in range(8) for part in (nn.Linear(256, 256), nn.ReLU())))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
if "WATCH" in os.environ:
    import paramedic

    paramedic.watch(model, optimizer)
x = torch.randn(256, 256)


def train(steps: int) -> None:
    for _ in range(steps):
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(20)
seen = 0.0
for _ in range(600):
    seen += model(torch.randn(256, 256)).mean().item()
train(5)
print(seen)
