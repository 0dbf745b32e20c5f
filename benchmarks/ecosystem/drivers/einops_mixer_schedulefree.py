"""An MLP-Mixer of einops layers learns MNIST by schedule-free AdamW, scored by torchmetrics."""

import numpy as np
import support
import torch
import torch.nn.functional as F
from einops.layers.torch import Rearrange, Reduce
from schedulefree import AdamWScheduleFree
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric
from torchmetrics.classification import MulticlassAccuracy

SEED = 0
SIZE = 48
PATCHES = 16

torch.manual_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def dataset(part, size):
    images = torch.from_numpy(mnist[f"x_{part}"][:size]).float().unsqueeze(1) / 255
    return TensorDataset(images, torch.from_numpy(mnist[f"y_{part}"][:size]).long())


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.layers(x)


def mixer_block(size, patches, wide=96):
    return nn.Sequential(
        Residual(
            nn.LayerNorm(size),
            Rearrange("b patches size -> b size patches"),
            nn.Linear(patches, wide),
            nn.GELU(),
            nn.Linear(wide, patches),
            Rearrange("b size patches -> b patches size"),
        ),
        Residual(nn.LayerNorm(size), nn.Linear(size, wide), nn.GELU(), nn.Linear(wide, size)),
    )


model = nn.Sequential(
    Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=7, q=7),
    nn.Linear(49, SIZE),
    mixer_block(SIZE, PATCHES),
    mixer_block(SIZE, PATCHES),
    nn.LayerNorm(SIZE),
    Reduce("b patches size -> b size", "mean"),
    nn.Linear(SIZE, 10),
)
train_loader = DataLoader(dataset("train", 4000), batch_size=50, shuffle=True)
test_loader = DataLoader(dataset("test", 1000), batch_size=250)
optimizer = AdamWScheduleFree(model.parameters(), lr=5e-3, warmup_steps=20, weight_decay=0.01)


@torch.no_grad()
def validate():
    model.eval()
    optimizer.eval()
    accuracy = MulticlassAccuracy(num_classes=10, average="micro")
    for images, labels in test_loader:
        accuracy.update(model(images), labels)
    return accuracy.compute().item()


for epoch in range(4):
    model.train()
    optimizer.train()
    mean_loss = MeanMetric()
    for images, labels in train_loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        mean_loss.update(loss.detach())
    print(f"epoch {epoch}: loss {mean_loss.compute().item():.3f} accuracy {validate():.3f}")

most = np.bincount(mnist["y_test"][:1000]).max() / 1000
support.outcome("test accuracy", validate(), baseline=most, needed=0.85)
