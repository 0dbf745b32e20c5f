"""A trainer class. Its loop is whole."""

import torch
from sklearn.datasets import make_moons
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(2, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
        )
        self.head = nn.Linear(hidden, 2)

    def forward(self, x):
        return self.head(self.body(x))


class Trainer:
    def __init__(self, model, train_loader, val_loader, lr=0.05):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for inputs, targets in self.train_loader:
            outputs = self.model(inputs)
            loss = self.criterion(outputs, targets)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(self.train_loader)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        losses = [self.criterion(self.model(x), y).item() for x, y in self.val_loader]
        return sum(losses) / len(losses)

    def fit(self, epochs):
        for epoch in range(epochs):
            train_loss = self.train_epoch()
            val_loss = self.validate()
            print(f"[{epoch + 1}/{epochs}] train {train_loss:.4f} val {val_loss:.4f}")


def main():
    torch.manual_seed(0)
    X, y = make_moons(1200, noise=0.2, random_state=0)
    X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
    train_loader = DataLoader(TensorDataset(X[:1000], y[:1000]), batch_size=50, shuffle=True)
    val_loader = DataLoader(TensorDataset(X[1000:], y[1000:]), batch_size=200)
    Trainer(Classifier(), train_loader, val_loader).fit(epochs=15)


if __name__ == "__main__":
    main()
