"""Part of the model is scripted, and the trained model is traced and scripted again in mid-run."""

import warnings

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(47)
torch.set_num_threads(1)
warnings.simplefilter("ignore")


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x):
        if x.sum() > 0:
            return x * torch.sigmoid(self.linear(x))
        return -x


model = nn.Sequential(nn.Linear(4, 6), torch.jit.script(Gate()), nn.Linear(6, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, graphs, errors = [], [], []
with watched(model, optimizer):
    for step in range(16):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step in (3, 9):
            traced = torch.jit.trace(model[0], x)
            scripted = torch.jit.script(model[2])
            graphs.append([node.kind() for node in traced.graph.nodes()])
            graphs.append([node.kind() for node in scripted.graph.nodes()])
            graphs.append([scripted(model[1](traced(x))).sum().item()])
        try:
            model[1].no_such_method(x)
        except AttributeError as error:
            errors.append(str(error).splitlines()[0])

say("losses", losses)
say("graphs", graphs)
say("errors", errors)
say("model", model)
