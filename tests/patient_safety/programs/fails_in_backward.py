"""An in-place change makes backward fail in the watched loop: a traceback and exit code 1."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(95)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.Sigmoid(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses = []
try:
    with watched(model, optimizer):
        for step in range(30):
            hidden = model[1](model[0](x))
            out = model[2](hidden)
            if step == 12:
                hidden.mul_(2)
            loss = (out - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
except RuntimeError as error:
    say("message", str(error).split(";")[0])
    raise
finally:
    say("losses", losses)
    say("gradients", [p.grad for p in model.parameters() if p.grad is not None])
    say("model", model)
