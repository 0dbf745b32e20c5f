"""The default dtype and device change in mid-run, and a twin of the model lives on meta."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(39)
torch.set_num_threads(1)


def build():
    return nn.Sequential(nn.Linear(4, 6), nn.Softsign(), nn.Linear(6, 1))


losses, facts = [], []
for dtype in (torch.float64, torch.bfloat16, torch.float32):
    torch.set_default_dtype(dtype)
    torch.set_default_device("cpu")
    model = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    with watched(model, optimizer):
        for step in range(12):
            if step == 4:
                torch.set_default_device("meta")
                twin = build()
                facts.append([twin(torch.empty(3, 4)).device.type, twin[0].weight.is_meta])
            if step == 8:
                torch.set_default_device("cpu")
            loss = (model(x) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            facts.append([str(torch.get_default_dtype()), torch.get_default_device().type])
    say(f"model {dtype}", model)
    say(f"optimizer {dtype}", optimizer)
    torch.set_default_device(None)

say("losses", losses)
say("facts", facts)
say("empty", torch.zeros(2).device.type, str(torch.tensor([1.0]).dtype))
