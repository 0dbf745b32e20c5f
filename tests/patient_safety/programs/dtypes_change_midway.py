"""float32, then float64, bfloat16 and half, with integer parameters that have no gradients."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(66)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.out = nn.Linear(4, 6), nn.Linear(6, 1)
        self.table = nn.Parameter(torch.randint(-9, 9, (6,)), requires_grad=False)
        self.flags = nn.Parameter(torch.tensor([True, False] * 3), requires_grad=False)
        self.register_buffer("small", torch.arange(6, dtype=torch.int8))

    def forward(self, x):
        return self.out(torch.where(self.flags, self.linear(x), self.table.to(x.dtype) / 9))


model = Net()
x, y = torch.randn(16, 4), torch.randn(16, 1)
losses, kinds = [], []
identities = {id(p) for p in model.parameters()}
for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.02)
    with watched(model, optimizer):
        for step in range(10):
            if step == 2:
                model.to(dtype)
            loss = (model(x.to(model.out.weight.dtype)) - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    kinds.append([str(p.dtype) for p in model.parameters()])
    kinds.append([identities == {id(p) for p in model.parameters()}])
    say(f"model {dtype}", model)

say("losses", losses)
say("kinds", kinds)
say("no gradients", model.table.grad is None, model.flags.grad is None)
