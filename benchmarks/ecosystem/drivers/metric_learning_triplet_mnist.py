"""Triplet loss with a semi-hard miner of pytorch-metric-learning on MNIST digits."""

import numpy as np
import support
import torch
from pytorch_metric_learning import distances, losses, miners, reducers
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from pytorch_metric_learning.utils.inference import CustomKNN
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0

torch.manual_seed(SEED)
torch.set_num_threads(1)

with np.load(support.data("mnist/mnist.npz"), allow_pickle=False) as file:
    images, labels = file["x_train"][:5000], file["y_train"][:5000]
    test_images, test_labels = file["x_test"][:1000], file["y_test"][:1000]


def tensors(images, labels):
    pixels = (torch.as_tensor(images, dtype=torch.float32).unsqueeze(1) / 255 - 0.13) / 0.31
    return TensorDataset(pixels, torch.as_tensor(labels.astype(np.int64)))


train, test = tensors(images, labels), tensors(test_images, test_labels)
loader = DataLoader(train, batch_size=128, shuffle=True, drop_last=True)

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, stride=2),
    nn.ReLU(),
    nn.Conv2d(16, 32, 3, stride=2),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(32 * 6 * 6, 64),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

distance = distances.CosineSimilarity()
loss_func = losses.TripletMarginLoss(
    margin=0.2, distance=distance, reducer=reducers.ThresholdReducer(low=0)
)
mining_func = miners.TripletMarginMiner(margin=0.2, distance=distance, type_of_triplets="semihard")
calculator = AccuracyCalculator(
    include=("precision_at_1", "mean_average_precision_at_r"), knn_func=CustomKNN(distance)
)


@torch.no_grad()
def evaluate():
    model.eval()
    pixels, targets = test.tensors
    accuracies = calculator.get_accuracy(model(pixels), targets)
    print({name: round(value, 3) for name, value in accuracies.items()})
    return accuracies["mean_average_precision_at_r"]


baseline = evaluate()
for epoch in range(1, 5):
    model.train()
    for pixels, targets in loader:
        optimizer.zero_grad()
        embeddings = model(pixels)
        triplets = mining_func(embeddings, targets)
        loss = loss_func(embeddings, targets, triplets)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}, triplets {mining_func.num_triplets}")

support.outcome("MAP@R", evaluate(), baseline=baseline, needed=0.65)
