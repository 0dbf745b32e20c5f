"""Wine cultivars from chemistry: a multi-layer perceptron with its settings at the top."""

import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

EPOCHS = 60
BATCH_SIZE = 16
LEARNING_RATE = 1e-6
HIDDEN = 32

torch.manual_seed(0)

X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
scaler = StandardScaler().fit(X_train)
X_train = torch.tensor(scaler.transform(X_train), dtype=torch.float32)
X_test = torch.tensor(scaler.transform(X_test), dtype=torch.float32)
y_train, y_test = torch.tensor(y_train), torch.tensor(y_test)

model = nn.Sequential(
    nn.Linear(13, HIDDEN),
    nn.ReLU(),
    nn.Linear(HIDDEN, HIDDEN),
    nn.ReLU(),
    nn.Linear(HIDDEN, 3),
)
optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(EPOCHS):
    order = torch.randperm(len(X_train))
    for batch in order.split(BATCH_SIZE):
        loss = loss_fn(model(X_train[batch]), y_train[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 10 == 0:
        with torch.no_grad():
            test_loss = loss_fn(model(X_test), y_test)
        print(f"epoch {epoch}: train {loss.item():.3f}, test {test_loss.item():.3f}")

with torch.no_grad():
    print("accuracy:", (model(X_test).argmax(1) == y_test).float().mean().item())
