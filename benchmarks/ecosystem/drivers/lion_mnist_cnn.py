"""A small convolutional network learns MNIST with the Lion optimizer of lion-pytorch.

Mistake: the learning rate is one that SGD would take, a thousand times what Lion needs.
"""

import numpy as np
import support
import torch
from lion_pytorch import Lion
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def subset(part: str, count: int) -> TensorDataset:
    images = torch.from_numpy(mnist[f"x_{part}"][:count]).float().unsqueeze(1) / 255
    return TensorDataset(images, torch.from_numpy(mnist[f"y_{part}"][:count]).long())


train_loader = DataLoader(subset("train", 8000), batch_size=64, shuffle=True)
test_loader = DataLoader(subset("test", 1000), batch_size=250)

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Dropout(0.2),
    nn.Linear(32 * 7 * 7, 10),
)
optimizer = Lion(model.parameters(), lr=0.3 if support.MISTAKE else 3e-4, weight_decay=1e-2)
criterion = nn.CrossEntropyLoss()

for epoch in range(4):
    model.train()
    for images, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(dim=1) == y).sum().item() for x, y in test_loader)
    accuracy = right / len(test_loader.dataset)
    print(f"epoch {epoch} training loss {loss.item():.3f} test accuracy {accuracy:.3f}")

support.outcome("test accuracy", accuracy, baseline=0.1, needed=0.8)
