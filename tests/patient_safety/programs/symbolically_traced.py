"""torch.fx traces the model in mid-run, and the rewritten graph module is trained onwards."""

import torch
from patient import say, watched
from torch import fx, nn

torch.manual_seed(48)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(5, 8), nn.LayerNorm(8), nn.Linear(8, 1)

    def forward(self, x, *, shift=0.0):
        return self.last(torch.relu(self.norm(self.first(x))) + shift)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(16, 5), torch.randn(16, 1)


def step(net):
    loss = (net(x, shift=0.1) - y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


losses, codes = [], []
with watched(model, optimizer):
    losses += [step(model) for _ in range(10)]
    traced = fx.symbolic_trace(model)
    codes.append(traced.code)
    for node in traced.graph.nodes:
        if node.target is torch.relu:
            node.target = torch.tanh
    traced.recompile()
    codes.append(traced.code)
    losses += [step(traced) for _ in range(10)]
    losses += [step(model) for _ in range(5)]

say("losses", losses)
say("codes", codes)
say("graph", [f"{node.op} {node.name}" for node in traced.graph.nodes])
say("shared", traced.first.weight is model.first.weight)
say("model", model)
say("traced", traced)
say("optimizer", optimizer)
