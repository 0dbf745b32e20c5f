"""Hinton's forward-forward algorithm in plain PyTorch on sklearn's digits, layer by layer.

Positive examples carry their label in ten extra inputs, negative ones a wrong label. Every layer
has its own optimizer and loss; nothing is propagated back between layers.
"""

import support
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

SEED = 0
torch.manual_seed(SEED)

pixels, labels = load_digits(return_X_y=True)
order = torch.randperm(len(labels))
x = torch.tensor(pixels / 16, dtype=torch.float)[order]
y = torch.tensor(labels)[order]
x_train, y_train, x_test, y_test = x[:1400], y[:1400], x[1400:], y[1400:]


def with_label(x, y):
    return torch.cat([x, F.one_hot(y, 10).float()], dim=1)


class Layer(nn.Linear):
    def __init__(self, inputs, outputs, threshold=2.0, lr=0.01):
        super().__init__(inputs, outputs)
        self.threshold = threshold
        self.optimizer = torch.optim.Adam(self.parameters(), lr=lr)

    def forward(self, x):
        length = x.shape[1] ** 0.5
        return super().forward(length * F.normalize(x, dim=1)).relu()

    def goodness(self, x):
        return self(x).pow(2).mean(dim=1)

    def train_step(self, positive, negative):
        loss = F.softplus(self.threshold - self.goodness(positive)).mean()
        loss = loss + F.softplus(self.goodness(negative) - self.threshold).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        with torch.no_grad():
            return self(positive), self(negative), loss.item()


layers = nn.ModuleList([Layer(74, 256), Layer(256, 256)])


@torch.no_grad()
def accuracy(x, y):
    """Every label is tried; the one with the most goodness is the answer."""
    goodness = []
    for label in range(10):
        hidden = with_label(x, torch.full((len(x),), label))
        total = 0.0
        for layer in layers:
            total = total + layer.goodness(hidden)
            hidden = layer(hidden)
        goodness.append(total)
    return (torch.stack(goodness, dim=1).argmax(dim=1) == y).float().mean().item()


for epoch in range(1, 61):
    for rows in torch.randperm(len(x_train)).split(128):
        wrong = (y_train[rows] + torch.randint(1, 10, (len(rows),))) % 10
        positive = with_label(x_train[rows], y_train[rows])
        negative = with_label(x_train[rows], wrong)
        losses = []
        for layer in layers:
            positive, negative, loss = layer.train_step(positive, negative)
            losses.append(round(loss, 4))
    if epoch % 10 == 0:
        print(f"epoch {epoch:2d}: losses {losses}, test accuracy {accuracy(x_test, y_test):.3f}")

most_frequent = torch.bincount(y_test).max().item() / len(y_test)
support.outcome("test accuracy", accuracy(x_test, y_test), baseline=most_frequent, needed=0.75)
