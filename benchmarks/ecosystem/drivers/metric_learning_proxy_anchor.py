"""ProxyAnchorLoss of pytorch-metric-learning on sklearn's digits, with an optimizer of its own.

The proxies are trained at a higher rate than the network, as the paper does.
"""

import numpy as np
import support
import torch
from pytorch_metric_learning import losses
from pytorch_metric_learning.distances import CosineSimilarity
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from pytorch_metric_learning.utils.inference import CustomKNN
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
SIZE = 16

torch.manual_seed(SEED)
np.random.seed(SEED)
x, y = load_digits(return_X_y=True)
x_train, x_test, y_train, y_test = train_test_split(
    torch.tensor(x, dtype=torch.float32) / 16,
    torch.tensor(y),
    test_size=0.3,
    stratify=y,
    random_state=0,
)
loader = DataLoader(TensorDataset(x_train, y_train), batch_size=64, shuffle=True, drop_last=True)

model = nn.Sequential(nn.Linear(64, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, SIZE))
loss_func = losses.ProxyAnchorLoss(num_classes=10, embedding_size=SIZE, margin=0.1, alpha=32)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-4)
loss_optimizer = torch.optim.AdamW(loss_func.parameters(), lr=2e-2)
calculator = AccuracyCalculator(
    include=("mean_average_precision_at_r",), knn_func=CustomKNN(CosineSimilarity())
)


@torch.no_grad()
def validate():
    model.eval()
    return calculator.get_accuracy(model(x_test), y_test)["mean_average_precision_at_r"]


untrained = validate()
for epoch in range(12):
    model.train()
    total = 0.0
    for batch, labels in loader:
        optimizer.zero_grad()
        loss_optimizer.zero_grad()
        loss = loss_func(model(batch), labels)
        loss.backward()
        optimizer.step()
        loss_optimizer.step()
        total += loss.item()
    print(f"epoch {epoch}: loss {total / len(loader):.3f} MAP@R {validate():.3f}")

support.outcome("MAP@R", validate(), baseline=untrained, needed=0.85)
