"""An autoencoder with tied weights whose middle module is called three times per pass."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(10)
torch.set_num_threads(1)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(10, 6, bias=False)
        self.middle = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
        self.again = self.middle
        self.decode = nn.Linear(6, 10, bias=False)
        self.decode.weight = nn.Parameter(torch.empty(10, 6))
        self.lookup = nn.Embedding(6, 10)
        self.lookup.weight = self.encode.weight

    def forward(self, x):
        h = self.encode(x)
        for module in (self.middle, self.again, self.middle[0]):
            h = module(h)
        return (
            h @ self.encode.weight + self.lookup(h.argmax(dim=1)) + 0 * self.decode(h).nan_to_num()
        )


model = Tied()
nn.init.orthogonal_(model.decode.weight)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
x = torch.randn(40, 10)
losses = []
with watched(model, optimizer):
    for _ in range(20):
        loss = nn.functional.smooth_l1_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("model", model)
say("still tied", model.lookup.weight is model.encode.weight, model.again is model.middle)
say("optimizer", optimizer)
say("names", list(model.state_dict()), [n for n, _ in model.named_modules(remove_duplicate=False)])
