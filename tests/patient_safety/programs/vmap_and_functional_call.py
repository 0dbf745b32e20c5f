"""Training by torch.func: per-sample gradients with vmap of grad of a functional call."""

import torch
from patient import say, watched
from torch import nn
from torch.func import functional_call, grad_and_value, vmap

torch.manual_seed(6)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def loss_of_one(params, sample, target):
    logits = functional_call(model, params, (sample.unsqueeze(0),))
    return nn.functional.cross_entropy(logits, target.unsqueeze(0))


x, y = torch.randn(20, 4), torch.randint(0, 3, (20,))
losses, norms = [], []
with watched(model, optimizer):
    for _ in range(20):
        params = {name: p.detach() for name, p in model.named_parameters()}
        per_sample, values = vmap(grad_and_value(loss_of_one), in_dims=(None, 0, 0))(params, x, y)
        norm = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()]).norm(dim=0)
        shrink = (1.0 / norm).clamp(max=1.0)
        for name, p in model.named_parameters():
            g = per_sample[name]
            p.grad = (g * shrink.view(-1, *[1] * (g.dim() - 1))).mean(dim=0)
        optimizer.step()
        losses.append(values.mean().item())
        norms.append(norm.max().item())

say("losses", losses)
say("norms", norms)
say("model", model)
say("optimizer", optimizer)
