"""The module itself is never called: a training step method does it all, and forward raises."""

import torch
from patient import say, watched
from torch import nn
from torch.nn import functional as F

torch.manual_seed(73)
torch.set_num_threads(1)


class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 6) * 0.3)
        self.body, self.out = nn.GRUCell(6, 6), nn.Linear(6, 2)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=0.02)
        self.history = []

    def forward(self, *args):
        raise NotImplementedError("call step")

    def step(self, x, y):
        hidden = torch.zeros(len(x), 6)
        for _ in range(3):
            hidden = self.body.forward(x @ self.weight, hidden)
        loss = F.cross_entropy(F.linear(hidden, self.out.weight, self.out.bias), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.history.append(loss.item())
        return {"loss": loss.detach(), "norm": hidden.norm().item()}

    __call__ = step


model = Learner()
x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
returned = []
with watched(model, model.optimizer):
    for number in range(20):
        out = model.step(x, y) if number % 2 else model(x, y)
        returned.append([out["loss"].item(), out["norm"]])

say("history", model.history)
say("returned", returned)
say("model", model)
say("optimizer", model.optimizer)
