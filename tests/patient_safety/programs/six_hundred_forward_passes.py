"""600 forward passes without no_grad between two steps: nothing of them may be held."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(201)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, total = torch.randn(512, 256), 0.0
with watched(model, optimizer):
    for step in range(3):
        if step == 1:
            for _ in range(600):
                total += model(x).mean().item()
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

say("total", total)
say("model", model)
