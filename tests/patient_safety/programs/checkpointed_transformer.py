"""A transformer whose layers are checkpointed: their activations may not be kept after all."""

import torch
from patient import say, watched
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(202)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        made = [nn.TransformerEncoderLayer(64, 4, 256, batch_first=True) for _ in range(6)]
        self.layers, self.head = nn.ModuleList(made), nn.Linear(64, 1)

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return self.head(x)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, losses = torch.randn(16, 128, 64), []
with watched(model, optimizer):
    for _ in range(3):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("model", model)
