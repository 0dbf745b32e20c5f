"""Weight norm, spectral norm, an orthogonal layer and a parametrization of the user's own."""

import torch
from patient import say, watched
from torch import nn
from torch.nn.utils import parametrizations, parametrize

torch.manual_seed(8)
torch.set_num_threads(1)
calls = {"forward": 0, "right_inverse": 0}


class Symmetric(nn.Module):
    def forward(self, w):
        calls["forward"] += 1
        return w.triu() + w.triu(1).mT

    def right_inverse(self, w):
        calls["right_inverse"] += 1
        return w.triu()


model = nn.Sequential(
    parametrizations.weight_norm(nn.Linear(6, 8)),
    nn.Tanh(),
    parametrizations.spectral_norm(nn.Linear(8, 8), n_power_iterations=2),
    parametrizations.orthogonal(nn.Linear(8, 8, bias=False)),
    nn.Linear(8, 8),
    nn.Linear(8, 1),
)
parametrize.register_parametrization(model[4], "weight", Symmetric())
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5, nesterov=True)
x, y = torch.randn(32, 6), torch.randn(32, 1)
losses = []
with watched(model, optimizer):
    for step in range(20):
        with parametrize.cached() if step % 2 else torch.enable_grad():
            loss = (model(x) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step == 14:
            parametrize.remove_parametrizations(model[4], "weight", leave_parametrized=True)

say("losses", losses)
say("calls", calls)
say("model", model)
say("power iteration", list(model[2].buffers()))
say("names", [name for name, _ in model.named_parameters()])
