"""A recurrent cell called in a Python loop with truncated backpropagation through time."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(11)
torch.set_num_threads(1)


class Cell(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gate, self.new = nn.Linear(2 * size, size), nn.Linear(2 * size, size)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))
        self.register_buffer("mean", torch.zeros(size), persistent=False)

    def forward(self, x, h):
        self.steps += 1
        both = torch.cat([x, h], dim=-1)
        z = torch.sigmoid(self.gate(both))
        h = (1 - z) * h + z * torch.tanh(self.new(both))
        self.mean.lerp_(h.detach().mean(dim=0), 0.1)
        return h


model = nn.ModuleDict({"embed": nn.Embedding(7, 12), "cell": Cell(12), "head": nn.Linear(12, 7)})
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, amsgrad=True)
text = torch.randint(0, 7, (4, 121))
losses, hidden = [], torch.zeros(4, 12)
with watched(model, optimizer):
    for start in range(0, 120, 8):
        hidden = hidden.detach()
        loss = 0.0
        for t in range(start, start + 8):
            hidden = model["cell"](model["embed"](text[:, t]), hidden)
            loss = loss + nn.functional.cross_entropy(model["head"](hidden), text[:, t + 1])
        optimizer.zero_grad()
        loss.backward()
        grad_norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
        optimizer.step()
        losses.append([loss.item() / 8, grad_norm.item()])

say("losses", losses)
say("hidden", hidden)
say("buffers", model["cell"].steps, model["cell"].mean)
say("model", model)
say("optimizer", optimizer)
