"""torch.compile by aot_eager of a function with a graph break and a compiled loss."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(46)
torch.set_num_threads(1)
passed = []


@torch.compiler.disable
def note(hidden):
    passed.append(hidden.shape[0])


class Broken(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(3, 6), nn.Linear(6, 1)

    def forward(self, x):
        hidden = torch.tanh(self.first(x))
        note(hidden)
        torch._dynamo.graph_break()
        return self.last(hidden)


model = Broken()
model.compile(backend="aot_eager")
loss_of = torch.compile(lambda out, y: (out - y).square().mean(), backend="aot_eager")
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(16, 3), torch.randn(16, 1)
losses = []
with watched(model, optimizer):
    for _ in range(10):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("passed", passed)
say("model", model)
say("optimizer", optimizer)
say("breaks", sum(torch._dynamo.utils.counters["graph_break"].values()))
