"""Two rings of points and a deep network with sigmoids. Accuracy stays at chance."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

# %% data
angle = 2 * torch.pi * torch.rand(1000)
label = torch.arange(1000) % 2
radius = 1.0 + label + 0.1 * torch.randn(1000)
points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
train_loader = DataLoader(TensorDataset(points[:800], label[:800]), batch_size=64, shuffle=True)
test_x, test_y = points[800:], label[800:]

# %% model
layers = [nn.Linear(2, 32), nn.Sigmoid()]
for _ in range(8):
    layers += [nn.Linear(32, 32), nn.Sigmoid()]
layers += [nn.Linear(32, 2)]
model = nn.Sequential(*layers)

optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()

# %% training
for epoch in range(30):
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    if epoch % 10 == 9:
        accuracy = (model(test_x).argmax(1) == test_y).float().mean()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}, accuracy {accuracy:.2f}")
