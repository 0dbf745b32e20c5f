"""A transformer that forgets its activations and computes them a second time."""

import os

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
WIDTH, LENGTH, BATCH = 64, 256, 32


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(64, WIDTH)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.0, batch_first=True)
            for _ in range(8)
        )
        self.head = nn.Linear(WIDTH, 64)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
if "WATCH" in os.environ:
    import paramedic

    paramedic.watch(model, optimizer)
tokens = torch.randint(0, 64, (BATCH, LENGTH))
for _ in range(6):
    scores = model(tokens)
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), tokens.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
