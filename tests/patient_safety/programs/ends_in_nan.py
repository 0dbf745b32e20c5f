"""Everything is NaN from the tenth step on, nobody minds, and the program ends well."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(68)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses = []
with watched(model, optimizer):
    for step in range(40):
        if step == 10:
            optimizer.param_groups[0]["lr"] = 1e12
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", [f"{loss!r}" for loss in losses])
say("weights are nan", [p.isnan().all().item() for p in model.parameters()])
say("bits", [p.detach().view(torch.int32) for p in model.parameters()])
say("rng", torch.get_rng_state())
