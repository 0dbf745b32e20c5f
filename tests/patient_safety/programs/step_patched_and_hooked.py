"""optimizer.step is replaced on the instance by the user, who also registered step hooks."""

import types

import torch
from patient import say, watched
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

torch.manual_seed(17)
torch.set_num_threads(1)
events = []
model = nn.Sequential(nn.Linear(4, 8), nn.ELU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def clip_before(opt, args, kwargs):
    events.append("pre")
    nn.utils.clip_grad_value_(model.parameters(), 0.05)


handle = optimizer.register_step_pre_hook(clip_before)
optimizer.register_step_post_hook(lambda opt, args, kwargs: events.append("post"))
everywhere = register_optimizer_step_post_hook(lambda opt, args, kwargs: events.append("global"))
original = optimizer.step


def noisy_step(self, *args, **kwargs):
    events.append("patched")
    result = original(*args, **kwargs)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p), alpha=1e-3)
    return result


optimizer.step = types.MethodType(noisy_step, optimizer)
x, y = torch.randn(20, 4), torch.randn(20, 1)
losses = []
with watched(model, optimizer):
    for step in range(20):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step == 9:
            handle.remove()
        if step == 14:
            del optimizer.step

everywhere.remove()
say("losses", losses)
say("events", events)
say("instance", "step" in vars(optimizer), type(optimizer).step.__name__)
say("model", model)
say("rng", torch.get_rng_state())
