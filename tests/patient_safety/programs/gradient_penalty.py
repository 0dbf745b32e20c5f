"""A critic with a gradient penalty, so that the backward pass is differentiated once more."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)

critic = nn.Sequential(
    nn.Linear(2, 32), nn.Softplus(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)
)
optimizer = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
losses, penalties = [], []
with watched(critic, optimizer):
    for _ in range(25):
        real, fake = torch.randn(16, 2) + 2, torch.randn(16, 2)
        mix = torch.rand(16, 1)
        between = (mix * real + (1 - mix) * fake).requires_grad_()
        (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        penalty = (slope.norm(dim=1) - 1).square().mean()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        penalties.append(penalty.item())
        assert between.grad is None or between.grad.shape == (16, 2)

say("losses", losses)
say("penalties", penalties)
say("critic", critic)
say("optimizer", optimizer)
say("rng", torch.get_rng_state())
