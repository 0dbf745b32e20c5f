"""A subclassed optimizer with its own step, state and zero_grad, and arguments to step."""

import torch
from patient import say, watched
from torch import nn
from torch.optim import Optimizer

torch.manual_seed(15)
torch.set_num_threads(1)


class SignDescent(Optimizer):
    def __init__(self, params, lr=0.01, beta=0.9):
        self.zeroed = 0
        super().__init__(params, {"lr": lr, "beta": beta})

    def zero_grad(self, set_to_none=False):
        self.zeroed += 1
        super().zero_grad(set_to_none=set_to_none)

    @torch.no_grad()
    def step(self, closure=None, *, scale=1.0):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["average"], state["count"] = torch.zeros_like(p), 0
                state["count"] += 1
                state["average"].lerp_(p.grad, 1 - group["beta"])
                p.add_(state["average"].sign(), alpha=-group["lr"] * scale)
        return {"scaled by": scale, "groups": len(self.param_groups)}


model = nn.Sequential(nn.Linear(6, 10), nn.SiLU(), nn.Linear(10, 1))
optimizer = SignDescent(
    [{"params": model[0].parameters(), "lr": 0.005}, {"params": model[2].parameters()}]
)
x, y = torch.randn(30, 6), torch.randn(30, 1)
losses, returned = [], []
with watched(model, optimizer):
    for step in range(30):
        optimizer.zero_grad()
        loss = (model(x) - y).abs().mean()
        loss.backward()
        returned.append(optimizer.step(scale=1 / (1 + step)))
        losses.append(loss.item())

say("losses", losses)
say("returned", returned)
say("zeroed", optimizer.zeroed, type(optimizer).__name__, type(optimizer).step.__qualname__)
say("model", model)
say("optimizer", optimizer)
