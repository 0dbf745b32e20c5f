"""A custom autograd function with non-tensor arguments, two outputs and a counted backward."""

import torch
from patient import say, watched
from torch import nn
from torch.autograd import Function

torch.manual_seed(0)
torch.set_num_threads(1)
backwards = []


class ClippedSquare(Function):
    @staticmethod
    def forward(ctx, x, limit, name, inplace=False):
        ctx.save_for_backward(x)
        ctx.limit, ctx.label = limit, name
        mask = x.abs() < limit
        ctx.mark_non_differentiable(mask)
        ctx.set_materialize_grads(False)
        return torch.where(mask, x * x, x.abs() * limit), mask

    @staticmethod
    def backward(ctx, grad, grad_mask):
        (x,) = ctx.saved_tensors
        backwards.append([ctx.label, grad_mask is None, list(ctx.needs_input_grad)])
        slope = torch.where(x.abs() < ctx.limit, 2 * x, x.sign() * ctx.limit)
        return grad * slope, None, None, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 12), nn.Linear(12, 1)

    def forward(self, x):
        hidden, mask = ClippedSquare.apply(self.first(x), 0.5, "hidden")
        return self.last(hidden * mask)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(32, 6), torch.randn(32, 1)
losses = []
with watched(model, optimizer):
    for _ in range(30):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("model", model)
say("optimizer", optimizer)
say("backwards", backwards)
say("rng", torch.get_rng_state())
