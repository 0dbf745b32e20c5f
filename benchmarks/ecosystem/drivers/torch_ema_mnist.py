"""A plain PyTorch loop on MNIST with torch-ema, whose averaged weights are used for validation.

Mistake: the decay of 0.9999 is for long runs and is held from the start: the average hardly moves.
"""

import numpy as np
import support
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch_ema import ExponentialMovingAverage

SEED = 0

torch.manual_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def dataset(part, size):
    images = torch.from_numpy(mnist[f"x_{part}"][:size]).float().unsqueeze(1) / 255
    return TensorDataset(images, torch.from_numpy(mnist[f"y_{part}"][:size]).long())


train_loader = DataLoader(dataset("train", 3000), batch_size=32, shuffle=True)
valid_loader = DataLoader(dataset("test", 1000), batch_size=250)

model = nn.Sequential(
    nn.Conv2d(1, 8, 5, stride=2, padding=2),
    nn.ReLU(),
    nn.Conv2d(8, 16, 5, stride=2, padding=2),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(16 * 49, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
ema = ExponentialMovingAverage(
    model.parameters(), decay=0.9999, use_num_updates=not support.MISTAKE
)


@torch.no_grad()
def validate():
    model.eval()
    right = sum((model(x).argmax(1) == y).sum().item() for x, y in valid_loader)
    return right / len(valid_loader.dataset)


untrained = validate()
for epoch in range(3):
    model.train()
    total = 0.0
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        ema.update()
        total += loss.item()
    ema.store()
    ema.copy_to()
    accuracy = validate()
    ema.restore()
    print(f"epoch {epoch}: loss {total / len(train_loader):.3f} accuracy {accuracy:.3f}")

support.outcome("accuracy of the average", accuracy, baseline=untrained, needed=0.9)
