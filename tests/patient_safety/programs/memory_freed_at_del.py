"""With the collector off, model, optimizer and loss must die at del, at once and in this order."""

import gc
import weakref

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(74)
torch.set_num_threads(1)
deaths = []


class Witness(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        weakref.finalize(self, deaths.append, name)
        weakref.finalize(self.linear.weight, deaths.append, f"weight of {name}")

    def forward(self, x):
        return self.linear(x)


def run(name):
    model = nn.Sequential(Witness(name), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    weakref.finalize(optimizer, deaths.append, f"optimizer of {name}")
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    losses = []
    with watched(model, optimizer):
        for _ in range(10):
            loss = (model(x) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    alive = weakref.ref(loss)
    del loss
    deaths.append(f"loss dead: {alive() is None}")
    say(f"losses {name}", losses)
    del optimizer
    deaths.append("optimizer deleted")
    del model
    deaths.append("model deleted")


warm = nn.Linear(1, 1)
warm_optimizer = torch.optim.SGD(warm.parameters(), lr=0.1)
warm(torch.ones(1)).backward()
warm_optimizer.zero_grad()
warm_optimizer.step()  # what torch imports at the first step keeps frames alive
gc.collect()
gc.disable()
for name in ("first", "second", "third"):
    run(name)
    deaths.append(f"{name} returned")
say("deaths", deaths)
say("collector", gc.isenabled(), list(gc.get_threshold()))
