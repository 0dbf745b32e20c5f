"""A small ViTransformerWrapper of x-transformers learns to classify MNIST digits.

Mistake: the model is made anew after the optimizer, which goes on training the old one.
"""

import numpy as np
import support
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from x_transformers import Encoder, ViTransformerWrapper

torch.manual_seed(0)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def subset(part: str, count: int) -> TensorDataset:
    images = torch.from_numpy(mnist[f"x_{part}"][:count]).float().unsqueeze(1) / 255
    labels = torch.from_numpy(mnist[f"y_{part}"][:count]).long()
    return TensorDataset((images - 0.1307) / 0.3081, labels)


train_loader = DataLoader(subset("train", 6000), batch_size=64, shuffle=True)
test_loader = DataLoader(subset("test", 1000), batch_size=250)


def make_model() -> ViTransformerWrapper:
    return ViTransformerWrapper(
        image_size=28,
        patch_size=7,
        channels=1,
        num_classes=10,
        attn_layers=Encoder(dim=64, depth=3, heads=4, attn_dim_head=16),
    )


model = make_model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
if support.MISTAKE:
    model = make_model()


def test() -> float:
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(dim=1) == y).sum().item() for x, y in test_loader)
    return right / len(test_loader.dataset)


for epoch in range(3):
    model.train()
    for images, labels in train_loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.3f} test accuracy {test():.3f}")

support.outcome("test accuracy", test(), baseline=0.1, needed=0.75)
