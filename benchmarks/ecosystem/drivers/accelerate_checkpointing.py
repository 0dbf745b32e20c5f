"""A deep network classifies MNIST in an accelerate loop that saves memory by checkpointing blocks.

Mistake: the reentrant checkpoint, whose inputs are images that need no gradient, so that the
blocks inside it get none either (PyTorch warns about it once).
"""

from itertools import pairwise

import numpy as np
import support
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

SEED = 0

set_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def dataset(part, size):
    images = torch.from_numpy(mnist[f"x_{part}"][:size]).float().flatten(1) / 255
    return TensorDataset(images, torch.from_numpy(mnist[f"y_{part}"][:size]).long())


class DeepNet(nn.Module):
    def __init__(self, width=64, depth=6):
        super().__init__()
        sizes = [784] + [width] * depth
        self.blocks = nn.Sequential(
            *(nn.Sequential(nn.Linear(a, b), nn.ReLU()) for a, b in pairwise(sizes))
        )
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        if self.training:
            x = checkpoint(self.blocks, x, use_reentrant=support.MISTAKE)
        else:
            x = self.blocks(x)
        return self.head(x)


accelerator = Accelerator(cpu=True)
model = DeepNet()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
train_loader = DataLoader(dataset("train", 6000), batch_size=64, shuffle=True)
test_loader = DataLoader(dataset("test", 1000), batch_size=250)
model, optimizer, train_loader, test_loader = accelerator.prepare(
    model, optimizer, train_loader, test_loader
)

for epoch in range(5):
    model.train()
    total = 0.0
    for x, y in train_loader:
        loss = F.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()

    model.eval()
    right = seen = 0
    for x, y in test_loader:
        with torch.no_grad():
            predicted = model(x).argmax(1)
        predicted, y = accelerator.gather_for_metrics((predicted, y))
        right, seen = right + (predicted == y).sum().item(), seen + len(y)
    accelerator.print(
        f"epoch {epoch}: loss {total / len(train_loader):.3f} accuracy {right / seen:.3f}"
    )

most = np.bincount(mnist["y_test"][:1000]).max() / 1000
support.outcome("test accuracy", right / seen, baseline=most, needed=0.85)
