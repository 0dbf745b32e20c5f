"""Modules, parameters and buffers are registered, and hooks added, inside the forward pass."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(108)
torch.set_num_threads(1)
calls = []


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.out, self.count = nn.Linear(4, 6), nn.Linear(6, 1), 0

    def forward(self, x):
        self.count += 1
        if self.count % 6 == 1:
            name = f"grown{self.count}"
            self.register_module(name, nn.Linear(6, 6))
            getattr(self, name).register_forward_hook(lambda m, a, out: calls.append(name))
            self.register_buffer(f"buffer{self.count}", torch.rand(6))
            self.register_parameter(f"shift{self.count}", nn.Parameter(torch.zeros(6)))
        x = self.first(x)
        for name, layer in self.named_children():
            if name.startswith("grown"):
                number = name.removeprefix("grown")
                x = x + torch.tanh(layer(x)) * getattr(self, f"buffer{number}")
                x = x + getattr(self, f"shift{number}")
        return self.out(x)


model = Growing()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, known = [], {id(p) for p in model.parameters()}
with watched(model, optimizer):
    for _ in range(24):
        loss = (model(x) - y).square().mean()
        fresh = [p for p in model.parameters() if id(p) not in known]
        if fresh:
            optimizer.add_param_group({"params": fresh})
            known |= {id(p) for p in fresh}
        model.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("calls", calls)
say("names", list(model.state_dict()))
say("model", model)
say("optimizer", optimizer)
