"""NT-Xent loss with the MetricLossOnly trainer of pytorch-metric-learning on MNIST digits.

Mistake: The images were shuffled without their labels.
"""

import logging

import numpy as np
import support
import torch
from pytorch_metric_learning import distances, losses, samplers, trainers
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from pytorch_metric_learning.utils.inference import CustomKNN
from torch import nn
from torch.utils.data import TensorDataset

SEED = 0

torch.manual_seed(SEED)
np.random.seed(SEED)
torch.set_num_threads(1)
logging.getLogger("PML").setLevel(logging.WARNING)

with np.load(support.data("mnist/mnist.npz"), allow_pickle=False) as file:
    images, labels = file["x_train"][:4000], file["y_train"][:4000].astype(np.int64)
    test_images, test_labels = file["x_test"][:1000], file["y_test"][:1000].astype(np.int64)
if support.MISTAKE:
    images = np.random.permutation(images)


def pixels(images):
    return torch.as_tensor(images, dtype=torch.float32).flatten(1) / 255


train = TensorDataset(pixels(images), torch.as_tensor(labels))
trunk = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU())
embedder = nn.Linear(128, 32)

distance = distances.CosineSimilarity()
calculator = AccuracyCalculator(include=("r_precision",), knn_func=CustomKNN(distance))


@torch.no_grad()
def evaluate():
    embeddings = embedder(trunk(pixels(test_images)))
    targets = torch.as_tensor(test_labels)
    return calculator.get_accuracy(embeddings, targets)["r_precision"]


baseline = evaluate()
trainer = trainers.MetricLossOnly(
    models={"trunk": trunk, "embedder": embedder},
    optimizers={
        "trunk_optimizer": torch.optim.Adam(trunk.parameters(), lr=1e-3),
        "embedder_optimizer": torch.optim.Adam(embedder.parameters(), lr=1e-3),
    },
    batch_size=40,
    loss_funcs={"metric_loss": losses.NTXentLoss(temperature=0.1, distance=distance)},
    dataset=train,
    sampler=samplers.MPerClassSampler(labels, m=4, length_before_new_iter=len(train)),
    data_device="cpu",
    dtype=torch.float32,
    dataloader_num_workers=0,
    end_of_epoch_hook=lambda trainer: print(f"epoch {trainer.epoch}: R {evaluate():.3f}"),
)
trainer.train(num_epochs=3)

support.outcome("R-precision", evaluate(), baseline=baseline, needed=0.7)
