"""Outputs are changed in place after the forward pass, by in-place layers and by the loop."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(104)
torch.set_num_threads(1)


class Split(nn.Module):
    def forward(self, x):
        return x.chunk(2, dim=1)


class Views(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(5, 8), nn.ReLU(inplace=True), nn.Dropout(0.1))
        self.split, self.out = Split(), nn.Linear(4, 1)

    def forward(self, x):
        a, b = self.split(self.first(x) * 1.0)
        out = self.out(a + b)
        return {"out": out, "same": out, "view": out[:, 0], "parts": [a, (b, None)]}


model = Views()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 5), torch.randn(16, 1)
losses, versions = [], []
with watched(model, optimizer):
    for _ in range(24):
        result = model(x)
        out = result["out"]
        out.mul_(2).clamp_(-3, 3)
        out[:4] += 1
        out -= y
        loss = out.pow(2).mean()
        loss += 0.01 * result["view"].abs().sum()
        loss.div_(2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        versions.append([out._version, loss._version, out is result["same"], x._version])
        versions.append([type(out.grad_fn).__name__, type(result["view"].grad_fn).__name__])

say("losses", losses)
say("versions", versions)
say("model", model)
say("rng", torch.get_rng_state())
