"""retain_graph, several backwards into chosen inputs, retain_grad and gradients of non-leaves."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(105)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(4, 6), nn.Softplus(), nn.Linear(6, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
x = torch.randn(12, 4)
losses, middles, errors = [], [], []
with watched(model, optimizer):
    for step in range(20):
        hidden = model[1](model[0](x))
        hidden.retain_grad()
        out = model[2](hidden)
        optimizer.zero_grad()
        out.backward(torch.ones_like(out), retain_graph=True)
        out[:, 0].sum().backward(retain_graph=True)
        torch.autograd.backward(
            [out.square().mean(), hidden.mean()],
            retain_graph=True,
            inputs=[model[0].weight, hidden],
        )
        out.square().mean().backward()
        middles.append(hidden.grad.clone())
        if step % 6 == 5:
            try:
                out.sum().backward()
            except RuntimeError as error:
                errors.append(str(error).split("(")[0])
        optimizer.step()
        losses.append(out.square().mean().item())

say("losses", losses)
say("middles", middles)
say("errors", errors)
say("model", model)
