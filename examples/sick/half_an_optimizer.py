"""An encoder and a classifier; the optimizer was written when there was only the classifier."""

import torch
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    def __init__(self, inputs=64, width=128, code=16):
        super().__init__()
        self.lin1 = nn.Linear(inputs, width)
        self.lin2 = nn.Linear(width, code)

    def forward(self, x):
        return torch.relu(self.lin2(torch.relu(self.lin1(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.classifier = nn.Linear(16, 10)

    def forward(self, x):
        return self.classifier(self.encoder(x))


def get_data():
    digits = load_digits()
    x = torch.tensor(digits.data, dtype=torch.float32) / 16
    y = torch.tensor(digits.target)
    train = DataLoader(TensorDataset(x[:1500], y[:1500]), batch_size=50, shuffle=True)
    return train, x[1500:], y[1500:]


def main():
    torch.manual_seed(3)
    train, x_val, y_val = get_data()
    model = Model()
    optimizer = optim.Adam(model.classifier.parameters(), lr=3e-3)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(12):
        for x, y in train:
            loss = loss_fn(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            val_loss = loss_fn(model(x_val), y_val)
        print(f"epoch {epoch}: {loss.item():.3f} {val_loss.item():.3f}")


if __name__ == "__main__":
    main()
