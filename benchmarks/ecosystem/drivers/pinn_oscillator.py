"""A physics-informed network for a damped oscillator in plain PyTorch: Adam, then LBFGS.

The oscillator is written as two equations of first order: x' = v and v' = -damping v - k x.

Mistake: `retain_graph=True` instead of `create_graph=True`, which makes the derivatives constants.
"""

import math

import support
import torch
from torch import nn

SEED = 0
torch.manual_seed(SEED)

damping, stiffness = 0.4, 4.0
times = torch.linspace(0, 5, 200).unsqueeze(1).requires_grad_()
zero = torch.zeros(1, 1)
start = torch.tensor([[1.0, 0.0]])
network = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))


def derivative(y):
    kept = {"retain_graph": True} if support.MISTAKE else {"create_graph": True}
    return torch.autograd.grad(y, times, torch.ones_like(y), **kept)[0]


def physics_loss():
    state = network(times)
    x, v = state[:, :1], state[:, 1:]
    motion = derivative(x) - v
    force = derivative(v) + damping * v + stiffness * x
    initial = network(zero) - start
    return (motion**2).mean() + (force**2).mean() + 10 * (initial**2).mean()


@torch.no_grad()
def error():
    """The relative L2 error of the position against the exact solution."""
    t = times.detach()
    rate = math.sqrt(stiffness - damping**2 / 4)
    swing = torch.cos(rate * t) + damping / (2 * rate) * torch.sin(rate * t)
    exact = torch.exp(-damping * t / 2) * swing
    return ((network(t)[:, :1] - exact).norm() / exact.norm()).item()


optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
for step in range(1, 1501):
    optimizer.zero_grad()
    loss = physics_loss()
    loss.backward()
    optimizer.step()
    if step % 300 == 0:
        print(f"Adam {step:4d}: loss {loss.item():.3e}, relative error {error():.4f}")

lbfgs = torch.optim.LBFGS(network.parameters(), max_iter=20, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = physics_loss()
    loss.backward()
    return loss


for step in range(1, 26):
    loss = lbfgs.step(closure)
    if step % 5 == 0:
        print(f"LBFGS {step:2d}: loss {loss.item():.3e}, relative error {error():.4f}")

support.outcome("relative L2 error", error(), baseline=1.0, needed=0.2)
