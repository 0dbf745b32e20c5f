"""A perceptron with eight hidden layers of 64 on a teacher's labels, in batches of 32."""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)
x = torch.randn(16_384, 64)
teacher = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))
with torch.no_grad():
    y = (8 * teacher(x)).argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)

layers = [nn.Linear(64, 64), nn.ReLU()]
for _ in range(7):
    layers += [nn.Linear(64, 64), nn.ReLU()]
model = nn.Sequential(*layers, nn.Linear(64, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

steps, last = 0, int(sys.argv[1])
while steps < last:
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        steps += 1
        if steps == last:
            break
print(f"{loss.item():.3f}")
