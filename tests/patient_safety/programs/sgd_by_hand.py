"""No optimizer at all: gradients are subtracted by hand under no_grad, then through .data."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(20)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x, y = torch.randn(25, 4), torch.randn(25, 1)
losses, versions, addresses = [], [], set()
first = model[0].weight
with watched(model, None):
    for step in range(45):
        loss = (model(x) - y).square().mean()
        if step < 15:
            model.zero_grad()
            loss.backward()
            with torch.no_grad():
                for p in model.parameters():
                    p -= 0.1 * p.grad
        elif step < 30:
            grads = torch.autograd.grad(loss, list(model.parameters()))
            for p, g in zip(model.parameters(), grads, strict=True):
                p.data.sub_(g, alpha=0.1)
        else:
            grads = torch.autograd.grad(loss, list(model.parameters()))
            for p, g in zip(model.parameters(), grads, strict=True):
                p.data = p.data - 0.1 * g
        versions.append(first._version)
        addresses.add(id(model[0].weight))
        losses.append(loss.item())

say("losses", losses)
say("versions", versions)
say("same parameter", len(addresses), model[0].weight is first)
say("model", model)
