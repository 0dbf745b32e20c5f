"""Digits with batch normalisation and dropout; the model is evaluated after each epoch."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

device = "cpu"
torch.manual_seed(0)


def make_model():
    return nn.Sequential(
        nn.Linear(64, 128),
        nn.BatchNorm1d(128),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(128, 64),
        nn.BatchNorm1d(64),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(64, 10),
    )


def evaluate(model, loader):
    model.eval()
    total, right = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            logits = model(x.to(device))
            total += F.cross_entropy(logits, y.to(device), reduction="sum").item()
            right += (logits.argmax(1) == y.to(device)).sum().item()
    return total / len(loader.dataset), right / len(loader.dataset)


data, target = load_digits(return_X_y=True)
data, target = torch.tensor(data, dtype=torch.float32) / 16, torch.tensor(target)
train_loader = DataLoader(TensorDataset(data[:1400], target[:1400]), batch_size=64, shuffle=True)
val_loader = DataLoader(TensorDataset(data[1400:], target[1400:]), batch_size=256)

model = make_model().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

print("before training:", evaluate(model, val_loader))
for epoch in range(12):
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    val_loss, val_acc = evaluate(model, val_loader)
    print(f"{epoch:2d}  loss {loss.item():.3f}  val loss {val_loss:.3f}  val acc {val_acc:.3f}")
