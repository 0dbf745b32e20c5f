"""Parameters and batches are tensor subclasses that log every function and refuse a few."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(43)
torch.set_num_threads(1)
log = []


class Metres(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", str(func))
        if name in ("item", "tolist", "numpy", "__bool__"):
            raise TypeError(f"metres do not convert by {name}")
        log.append(name)
        return super().__torch_function__(func, types, args, kwargs)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter((torch.randn(6, 3) * 0.3).as_subclass(Metres))
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        return self.head((x @ self.weight).tanh().as_subclass(torch.Tensor))


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
x, y = torch.randn(10, 6).as_subclass(Metres), torch.randn(10, 1)
losses, lengths = [], []
with watched(model, optimizer):
    for _ in range(12):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        lengths.append(len(log))

say("losses", losses)
say("log", log)
say("lengths", lengths)
say("kinds", type(model.weight).__name__, type(model.weight.grad).__name__)
with torch._C.DisableTorchFunctionSubclass():
    say("weight", model.weight.detach().as_subclass(torch.Tensor).clone())
say("head", model.head)
