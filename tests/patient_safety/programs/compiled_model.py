"""torch.compile with eager and aot_eager backends: the graphs and recompilations are counted."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(45)
torch.set_num_threads(1)
graphs = []


def backend(graph, inputs):
    graphs.append([node.op for node in graph.graph.nodes])
    return graph.forward


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 8), nn.Linear(8, 1)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


model = Net()
whole = torch.compile(model, backend=backend, fullgraph=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses = []
with watched(model, optimizer):
    for step in range(12):
        loss = (whole(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step == 5:
            model.eval()
            with torch.no_grad():
                losses.append(whole(x[:4]).sum().item())
            model.train()

say("losses", losses)
say("graphs", graphs)
say("model", model)
say("names", list(whole.state_dict()))
