"""Forward, pre-forward, backward and tensor hooks that change what passes, some removed midway."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
events = []


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x, *, scale=1.0):
        return self.linear(x) * scale


def double_scale(module, args, kwargs):
    events.append("pre")
    return args, {**kwargs, "scale": kwargs.get("scale", 1.0) * 2}


def squash(module, args, kwargs, output):
    events.append(f"forward {kwargs['scale']}")
    return torch.tanh(output)


def halve(module, grad_input, grad_output):
    events.append("backward")
    return tuple(g if g is None else g / 2 for g in grad_input)


block, head = Block(), nn.Linear(8, 1)
model = nn.ModuleDict({"block": block, "head": head})
handles = [
    block.register_forward_pre_hook(double_scale, with_kwargs=True),
    block.register_forward_hook(squash, with_kwargs=True),
    block.register_full_backward_hook(halve),
    block.register_full_backward_pre_hook(lambda module, grad: (grad[0] * 1.5,)),
    head.weight.register_hook(lambda grad: grad.clamp(-0.1, 0.1)),
    head.bias.register_post_accumulate_grad_hook(lambda p: events.append("accumulated")),
]
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(24, 8, requires_grad=True), torch.randn(24, 1)
losses = []
with watched(model, optimizer):
    for step in range(18):
        loss = (head(block(x, scale=0.5)) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 3 == 2:
            handles.pop(0).remove()

say("losses", losses)
say("events", events)
say("input grad", x.grad)
say("model", model)
say("hooks left", len(block._forward_hooks), len(block._forward_pre_hooks))
say("hooks left backward", len(block._backward_hooks), len(block._backward_pre_hooks))
