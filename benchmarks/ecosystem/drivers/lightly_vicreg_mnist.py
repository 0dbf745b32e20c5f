"""VICReg with lightly's head and loss and a small CNN on MNIST, judged by kNN."""

import numpy as np
import support
import torch
from sklearn.neighbors import KNeighborsClassifier
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader

support.allow_torchvision()
from lightly.loss import VICRegLoss
from lightly.models.modules.heads import VICRegProjectionHead

SEED = 0

torch.manual_seed(SEED)
np.random.seed(SEED)
torch.set_num_threads(1)

with np.load(support.data("mnist/mnist.npz"), allow_pickle=False) as file:
    images, labels = file["x_train"][:3840], file["y_train"][:3840]
    test_images, test_labels = file["x_test"][:1000], file["y_test"][:1000]


def tensor(images):
    return torch.as_tensor(images, dtype=torch.float32).unsqueeze(1) / 255


def augment(batch):
    """Turn, scale, shear, shift and brighten every digit of the batch differently."""
    n = len(batch)
    angle, shear = (torch.rand(2, n) - 0.5) * torch.tensor([[0.6], [0.6]])
    scale = 0.75 + 0.5 * torch.rand(2, n)
    shift = (torch.rand(2, n) - 0.5) * 0.4
    rows = [
        torch.stack([scale[0] * angle.cos(), -angle.sin() + shear, shift[0]], dim=1),
        torch.stack([angle.sin(), scale[1] * angle.cos(), shift[1]], dim=1),
    ]
    grid = functional.affine_grid(torch.stack(rows, dim=1), list(batch.shape), align_corners=False)
    views = functional.grid_sample(batch, grid, align_corners=False)
    return views * (0.6 + 0.8 * torch.rand(n, 1, 1, 1))


def make_backbone():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )


@torch.no_grad()
def knn_accuracy(backbone):
    """Accuracy of 5 nearest neighbours in the backbone's features on test digits."""
    backbone.eval()
    features = [
        torch.cat([backbone(batch) for batch in tensor(x).split(256)])
        for x in (images, test_images)
    ]
    backbone.train()
    knn = KNeighborsClassifier(5, metric="cosine").fit(features[0], labels)
    return knn.score(features[1], test_labels)


class VICReg(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.projection_head = VICRegProjectionHead(64, 128, 128, num_layers=2)

    def forward(self, x):
        return self.projection_head(self.backbone(x))


loader = DataLoader(tensor(images), batch_size=128, shuffle=True, drop_last=True)
model = VICReg(make_backbone())
baseline = knn_accuracy(model.backbone)

criterion = VICRegLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(1, 9):
    total = 0.0
    for batch in loader:
        view0, view1 = augment(batch), augment(batch)
        loss = criterion(model(view0), model(view1))
        total += loss.item()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(f"epoch {epoch}: loss {total / len(loader):.3f}")

value = knn_accuracy(model.backbone)
support.outcome("kNN accuracy", value, baseline=baseline, needed=0.8)
