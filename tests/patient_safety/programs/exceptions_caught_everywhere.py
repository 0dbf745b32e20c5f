"""Exceptions in forward, backward, hooks, the loss and the closure are caught; training goes on."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(94)
torch.set_num_threads(1)
failing = {"where": ""}


class TrainingError(Exception):
    pass


def fail(where):
    if failing["where"] == where:
        raise TrainingError(where)


class Tripwire(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        fail("function forward")
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        fail("function backward")
        return grad


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 6), nn.Linear(6, 1)

    def forward(self, x):
        x = Tripwire.apply(torch.tanh(self.first(x)))
        fail("module forward")
        return self.last(x)


model = Net()
model.first.register_forward_hook(lambda m, args, out: fail("forward hook"))
model.last.register_full_backward_hook(lambda m, gin, gout: fail("backward hook"))
model.last.weight.register_hook(lambda grad: fail("tensor hook"))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
optimizer.register_step_pre_hook(lambda opt, args, kwargs: fail("step hook"))
places = ["function forward", "function backward", "module forward", "forward hook"]
places += ["backward hook", "tensor hook", "step hook", ""]
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, caught = [], []
with watched(model, optimizer):
    for step in range(32):
        failing["where"] = places[step % 8] if step % 2 or step > 15 else ""
        try:
            loss = (model(x) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        except TrainingError as error:
            caught.append(f"{step} {error} {error.__cause__} {error.__context__}")

say("losses", losses)
say("caught", caught)
say("model", model)
say("optimizer", optimizer)
