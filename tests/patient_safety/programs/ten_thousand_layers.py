"""Ten thousand layers of one number each, for two steps."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(61)
torch.set_num_threads(1)


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return x * self.a


model = nn.Sequential(*[Scale() for _ in range(10_000)])
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
x = torch.randn(2)
losses = []
with watched(model, optimizer):
    for _ in range(2):
        loss = (model(x) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

weights = torch.stack([p.detach() for p in model.parameters()])
grads = torch.stack([p.grad for p in model.parameters()])
say("losses", losses)
say("weights", weights)
say("grads", grads)
