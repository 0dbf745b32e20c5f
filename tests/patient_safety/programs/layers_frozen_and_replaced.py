"""Layers are frozen, thawed, replaced, added and deleted in mid-run under the same optimizer."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(107)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, names = [], []
with watched(model, optimizer):
    for step in range(42):
        if step == 6:
            model[0].requires_grad_(False)
        if step == 12:
            model[0].requires_grad_(True)
            model[4].eval().bias.requires_grad = False
        if step == 18:
            model[2] = nn.Linear(8, 8, bias=False)
            optimizer.add_param_group({"params": model[2].parameters(), "lr": 0.01})
        if step == 24:
            model.insert(1, nn.LayerNorm(8, elementwise_affine=False))
        if step == 30:
            del model[4]
            model.extra = nn.Identity()
        if step == 36:
            model[0].weight = nn.Parameter(torch.zeros(8, 4))
            optimizer.param_groups[0]["params"][0] = model[0].weight
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        names.append([n for n, p in model.named_parameters() if p.grad is not None])

say("losses", losses)
say("names", names)
say("model", model)
say("groups", [len(g["params"]) for g in optimizer.param_groups])
say("momenta", [state["momentum_buffer"] for state in optimizer.state.values()])
