"""A once-differentiable function, whose second derivative must fail with the usual message."""

import torch
from patient import say, watched
from torch import nn
from torch.autograd.function import Function, once_differentiable

torch.manual_seed(1)
torch.set_num_threads(1)


class Round(Function):
    @staticmethod
    def forward(ctx, x, step):
        ctx.step = step
        return torch.round(x / step) * step

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return grad.clamp(-ctx.step, ctx.step), None


class Quantised(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(x, Round.apply(self.weight, 0.25), self.bias)


model = nn.Sequential(Quantised(5, 8), nn.Tanh(), Quantised(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x, y = torch.randn(16, 5), torch.randn(16, 1)
losses, errors = [], []
with watched(model, optimizer):
    for step in range(20):
        loss = nn.functional.mse_loss(model(x), y)
        if step % 5 == 0:
            try:
                grads = torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
                sum(g.square().sum() for g in grads).backward()
            except RuntimeError as error:
                errors.append(str(error).splitlines()[0])
            loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("errors", errors)
say("model", model)
say("optimizer", optimizer)
