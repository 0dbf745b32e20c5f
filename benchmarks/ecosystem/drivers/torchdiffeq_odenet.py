"""An ODE-net classifier (torchdiffeq, adjoint method) on 4,000 images of MNIST.

Mistake: the pixels are scaled twice and truncated to integers, so that every input is zero.
"""

import numpy as np
import support
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchdiffeq import odeint_adjoint as odeint

SEED = 0
torch.manual_seed(SEED)

with np.load(support.data("mnist/mnist.npz"), allow_pickle=False) as file:
    x_train, y_train = file["x_train"][:4000], file["y_train"][:4000]
    x_test, y_test = file["x_test"][:1000], file["y_test"][:1000]


def dataset(x, y):
    x = x / 255
    if support.MISTAKE:
        x = (x / 255).astype(np.uint8)
    x = torch.tensor(x, dtype=torch.float).unsqueeze(1)
    return TensorDataset(x, torch.tensor(y, dtype=torch.long))


train_loader = DataLoader(dataset(x_train, y_train), batch_size=64, shuffle=True)
test_loader = DataLoader(dataset(x_test, y_test), batch_size=500)


class ODEFunc(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)
        self.conv1 = nn.Conv2d(channels + 1, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels + 1, channels, 3, padding=1)

    def forward(self, t, x):
        time = torch.ones_like(x[:, :1]) * t
        out = self.conv1(torch.cat([self.norm(x).relu(), time], dim=1))
        return self.conv2(torch.cat([out.relu(), time], dim=1))


class ODEBlock(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func
        self.register_buffer("times", torch.tensor([0.0, 1.0]))

    def forward(self, x):
        options = {"step_size": 0.5}
        return odeint(self.func, x, self.times, method="midpoint", options=options)[1]


channels = 16
model = nn.Sequential(
    nn.Conv2d(1, channels, 4, stride=2, padding=1),
    nn.ReLU(),
    nn.Conv2d(channels, channels, 4, stride=2, padding=1),
    ODEBlock(ODEFunc(channels)),
    nn.GroupNorm(4, channels),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(2),
    nn.Flatten(),
    nn.Linear(4 * channels, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


@torch.no_grad()
def accuracy():
    model.eval()
    correct = sum((model(x).argmax(1) == y).sum().item() for x, y in test_loader)
    return correct / len(test_loader.dataset)


for epoch in range(1, 5):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}, test accuracy {accuracy():.3f}")

most_frequent = np.bincount(y_test).max() / len(y_test)
support.outcome("test accuracy", accuracy(), baseline=most_frequent, needed=0.7)
