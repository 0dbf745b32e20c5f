"""Thirty small trainings in a row, each differentiated through for a meta-learned start."""

import torch
from patient import say, watched
from torch import nn
from torch.func import functional_call

torch.manual_seed(102)
torch.set_num_threads(1)

meta = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 1))
meta_optimizer = torch.optim.Adam(meta.parameters(), lr=0.01)
meta_losses, plain_losses = [], []
for task in range(30):
    shift = torch.rand(1) * 3
    x = torch.rand(10, 1) * 4
    y = torch.sin(x + shift)
    with watched(meta, meta_optimizer):
        fast = dict(meta.named_parameters())
        for _ in range(3):
            inner = (functional_call(meta, fast, (x,)) - y).square().mean()
            grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {k: v - 0.1 * g for (k, v), g in zip(fast.items(), grads, strict=True)}
        loss = (functional_call(meta, fast, (x,)) - y).square().mean()
        meta_optimizer.zero_grad()
        loss.backward()
        meta_optimizer.step()
        meta_losses.append(loss.item())
    if task % 3 == 0:
        small = nn.Linear(1, 1)
        optimizer = torch.optim.SGD(small.parameters(), lr=0.1)
        with watched(small, optimizer):
            for _ in range(3):
                optimizer.zero_grad()
                loss = (small(x) - y).square().mean()
                loss.backward()
                optimizer.step()
                plain_losses.append(loss.item())

say("meta losses", meta_losses)
say("plain losses", plain_losses)
say("meta", meta)
say("optimizer", meta_optimizer)
say("rng", torch.get_rng_state())
