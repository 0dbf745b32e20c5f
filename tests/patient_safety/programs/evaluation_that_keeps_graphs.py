"""Two hundred forward passes in evaluation without no_grad, whose graphs are all kept in a list."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(103)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
losses, kept, total = [], [], 0.0
with watched(model, optimizer):
    for _ in range(20):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    for step in range(200):
        out = model(x + step / 200)
        kept.append(nn.functional.cross_entropy(out, y))
        total = total + kept[-1]
    model.train()

say("losses", losses)
say("kept", [loss.item() for loss in kept])
say("total", total.item(), total.requires_grad, type(total.grad_fn).__name__)
optimizer.zero_grad()
total.backward()
say("model and gradients of all passes", model)
