"""LBFGS, whose step calls the closure many times and returns the first loss."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(16)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1)).double()
optimizer = torch.optim.LBFGS(
    model.parameters(), lr=0.8, max_iter=6, history_size=5, line_search_fn="strong_wolfe"
)
x = torch.randn(50, 2, dtype=torch.float64)
y = (x[:, :1] * x[:, 1:]).sin()
calls, inside, returned = 0, [], []


def closure():
    global calls
    calls += 1
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    inside.append(loss.item())
    return loss


with watched(model, optimizer):
    for _ in range(10):
        returned.append(optimizer.step(closure).item())

say("returned", returned)
say("inside", inside)
say("calls", calls)
say("model", model)
say("optimizer", optimizer)
