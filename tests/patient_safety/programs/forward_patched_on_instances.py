"""forward is replaced on instances, wrapped by a decorator, swapped in mid-run, deleted again."""

import functools
import inspect
import types

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(72)
torch.set_num_threads(1)
calls = []


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        calls.append(function.__qualname__)
        return function(*args, **kwargs)

    return wrapper


def leaky(self, x):
    calls.append("leaky")
    return nn.functional.leaky_relu(type(self).forward(self, x))


model = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 6), nn.Linear(6, 1))
model.forward = logged(model.forward)
model[0].forward = types.MethodType(leaky, model[0])
model[1].forward = functools.partial(leaky, model[1])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, facts = [], []
with watched(model, optimizer):
    for step in range(20):
        if step == 8:
            model[2].forward = lambda x: torch.atan(x @ model[2].weight.T)
        if step == 14:
            del model[0].forward, model[2].forward
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        facts.append([type(vars(m).get("forward")).__name__ for m in model])

say("losses", losses)
say("calls", calls)
say("facts", facts)
say("signature", str(inspect.signature(model[2].forward)), model[2].forward.__func__.__qualname__)
say("model", model)
