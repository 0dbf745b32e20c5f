"""A neural ODE (torchdiffeq) fitted to pieces of a noisy cubic spiral, with the usual loop.

Mistake: start points and target pieces are drawn with two different random indices.
"""

import support
import torch
from torch import nn
from torchdiffeq import odeint

SEED = 0
torch.manual_seed(SEED)

true_matrix = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
times = torch.linspace(0.0, 25.0, 1000)
start = torch.tensor([[2.0, 0.0]])
with torch.no_grad():
    spiral = odeint(lambda t, y: (y**3) @ true_matrix, start, times, method="dopri5")
observed = spiral + 0.01 * torch.randn_like(spiral)

length, batch_size = 10, 32


def get_batch():
    first = torch.randint(len(times) - length, (batch_size,))
    pieces = torch.randint(len(times) - length, (batch_size,)) if support.MISTAKE else first
    y = torch.stack([observed[pieces + i] for i in range(length)])
    return observed[first], times[:length], y


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))
        for module in self.net:
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, mean=0, std=0.1)
                nn.init.zeros_(module.bias)

    def forward(self, t, y):
        return self.net(y**3)


func = ODEFunc()
optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-3)


@torch.no_grad()
def evaluate():
    """The error along the pieces that start at every twentieth point."""
    first = torch.arange(0, len(times) - 50, 20)
    predicted = odeint(func, spiral[first], times[:50], method="rk4")
    truth = torch.stack([spiral[first + i] for i in range(50)])
    return (predicted - truth).abs().mean().item()


untrained = evaluate()
for step in range(1, 401):
    optimizer.zero_grad()
    y0, t, y = get_batch()
    predicted = odeint(func, y0, t, method="rk4")
    loss = (predicted - y).abs().mean()
    loss.backward()
    optimizer.step()
    if step % 80 == 0:
        print(f"step {step:3d}: loss {loss.item():.4f}, error {evaluate():.4f}")

support.outcome("mean absolute error", evaluate(), baseline=untrained, needed=0.4 * untrained)
