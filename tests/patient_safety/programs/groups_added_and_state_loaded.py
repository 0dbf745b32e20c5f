"""Parameters thawed into a new group in mid-run, then an earlier checkpoint is loaded back."""

import copy

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(18)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 1))
for p in model[0].parameters():
    p.requires_grad = False
optimizer = torch.optim.AdamW(
    [p for p in model.parameters() if p.requires_grad], lr=0.01, weight_decay=0.1
)
x, y = torch.randn(32, 5), torch.randn(32, 1)
losses, saved = [], None
with watched(model, optimizer):
    for step in range(40):
        if step == 12:
            model[0].requires_grad_(True)
            optimizer.add_param_group({"params": list(model[0].parameters()), "lr": 1e-3})
        if step == 20:
            saved = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
        if step == 30:
            model.load_state_dict(saved[0])
            optimizer.load_state_dict(saved[1])
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("repeated", losses[20:30] == losses[30:40])
say("groups", [[g["lr"], len(g["params"])] for g in optimizer.param_groups])
say("model", model)
say("optimizer", optimizer)
say("saved", saved[0], saved[1])
