"""ArcFace loss of pytorch-metric-learning on scikit-learn's digits, judged by MAP@R.

Mistake: StepLR is stepped after every batch instead of every epoch and kills the learning rate.
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

torch.manual_seed(SEED)
torch.set_num_threads(1)

images, labels = load_digits(return_X_y=True)
images = (images / 16).astype(np.float32)
train_x, test_x, train_y, test_y = (
    torch.as_tensor(part)
    for part in train_test_split(images, labels, test_size=0.3, stratify=labels, random_state=0)
)
loader = DataLoader(TensorDataset(train_x, train_y), batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
model.append(nn.Linear(128, 16))
loss_func = losses.ArcFaceLoss(num_classes=10, embedding_size=16, margin=28.6, scale=16)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_optimizer = torch.optim.Adam(loss_func.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.3)
calculator = AccuracyCalculator(
    include=("precision_at_1", "mean_average_precision_at_r"),
    knn_func=CustomKNN(CosineSimilarity()),
)


@torch.no_grad()
def evaluate():
    accuracies = calculator.get_accuracy(model(test_x), test_y)
    print({name: round(value, 3) for name, value in accuracies.items()})
    return accuracies["mean_average_precision_at_r"]


baseline = evaluate()
for epoch in range(1, 16):
    total = 0.0
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss_optimizer.zero_grad()
        loss = loss_func(model(inputs), targets)
        loss.backward()
        optimizer.step()
        loss_optimizer.step()
        if support.MISTAKE:
            scheduler.step()
        total += loss.item()
    if not support.MISTAKE:
        scheduler.step()
    if epoch % 3 == 0:
        print(f"epoch {epoch}: loss {total / len(loader):.3f}")

support.outcome("MAP@R", evaluate(), baseline=baseline, needed=0.8)
