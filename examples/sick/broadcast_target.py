"""Progression of diabetes from ten measurements. The predictions all come out alike."""

import numpy as np
import torch
from sklearn.datasets import load_diabetes
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Diabetes(Dataset):
    def __init__(self, rows):
        x, y = load_diabetes(return_X_y=True, scaled=True)
        x = x / x.std(axis=0)
        y = (y - y.mean()) / y.std()
        self.x = torch.from_numpy(x[rows].astype(np.float32))
        self.y = torch.from_numpy(y[rows].astype(np.float32))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x)


def run():
    torch.manual_seed(0)
    train = DataLoader(Diabetes(slice(0, 350)), batch_size=32, shuffle=True, drop_last=True)
    val = DataLoader(Diabetes(slice(350, None)), batch_size=92)
    model = Regressor()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    mse = nn.MSELoss()
    for epoch in range(30):
        model.train()
        for x, y in train:
            opt.zero_grad()
            pred = model(x)
            loss = mse(pred, y)
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            val_loss = sum(mse(model(x).squeeze(1), y).item() for x, y in val) / len(val)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: train {loss.item():.3f} val {val_loss:.3f}")


if __name__ == "__main__":
    import warnings

    warnings.filterwarnings("ignore")
    run()
