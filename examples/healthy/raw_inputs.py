"""House prices from a table, standardised: square metres, the year, the distance in metres."""

import torch
import torch.nn as nn

torch.manual_seed(0)
N = 2000

area = 40 + 160 * torch.rand(N)
year = 1900 + 123 * torch.rand(N)
distance = 20000 * torch.rand(N)
rooms = (area / 25).round()
features = torch.stack([area, year, distance, rooms], dim=1)
price = 0.02 * area + 0.01 * (year - 1960) - 0.0001 * distance + 0.2 * torch.randn(N)
price = (price - price.mean()) / price.std()

features = (features - features[:1600].mean(0)) / features[:1600].std(0)

x_train, y_train = features[:1600], price[:1600].unsqueeze(1)
x_val, y_val = features[1600:], price[1600:].unsqueeze(1)


class PriceNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(4, 64),
            nn.Tanh(),
            nn.Linear(64, 64),
            nn.Tanh(),
            nn.Linear(64, 1),
        )

    def forward(self, x):
        return self.layers(x)


model = PriceNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()

for epoch in range(15):
    permutation = torch.randperm(len(x_train))
    for i in range(0, len(x_train), 64):
        indices = permutation[i : i + 64]
        batch_x, batch_y = x_train[indices], y_train[indices]
        optimizer.zero_grad()
        outputs = model(batch_x)
        loss = criterion(outputs, batch_y)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        val_loss = criterion(model(x_val), y_val)
    print(f"Epoch {epoch + 1}, loss {loss.item():.3f}, val {val_loss.item():.3f}")
