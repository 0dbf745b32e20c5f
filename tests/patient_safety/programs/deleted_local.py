"""A large local is deleted before the next one is made: two of them may not be alive at once."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(203)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def train():
    losses = []
    for _ in range(4):
        batch = torch.randn(262_144, 64)  # 64 MB
        hidden = model[0](batch[:4096])
        loss = model[2](model[1](hidden)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        del batch, hidden, loss
    return losses


with watched(model, optimizer):
    losses = train()

say("losses", losses)
say("model", model)
