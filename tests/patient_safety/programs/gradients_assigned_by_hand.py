"""param.grad is assigned from autograd.grad, shared, set to None, and param.data is swapped."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(106)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(16, 4), torch.randn(16, 1)
params = list(model.parameters())
losses, same = [], []
with watched(model, optimizer):
    for step in range(30):
        loss = (model(x) - y).square().mean()
        grads = torch.autograd.grad(loss, params, allow_unused=True)
        for p, g in zip(params, grads, strict=True):
            p.grad = None if step % 5 == 1 and p.dim() == 1 else g
        same.append([p.grad is g for p, g in zip(params, grads, strict=True)])
        if step == 10:
            model[0].weight.data = model[0].weight.data.flip(0).contiguous()
        if step == 15:
            with torch.no_grad():
                model[2].weight.set_(torch.full((1, 6), 0.1))
        if step == 20:
            flat = torch.cat([p.data.flatten() for p in params])
            offset = 0
            for p in params:
                p.data = flat[offset : offset + p.numel()].view_as(p)
                offset += p.numel()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("same", same)
say("one storage", len({p.untyped_storage().data_ptr() for p in params}), flat)
say("model", model)
say("optimizer", optimizer)
