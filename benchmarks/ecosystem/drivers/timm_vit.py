"""A tiny vision transformer of timm on sklearn's digits, with its AdamW and cosine schedule.

Mistake: AdamW is given the learning rate 0.1, as if it were SGD.
"""

import numpy as np
import support
import torch

support.allow_torchvision()

import timm
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 1
EPOCHS = 9

torch.manual_seed(SEED)
digits = load_digits()
images = torch.from_numpy(digits.images).float().unsqueeze(1) / 16
labels = torch.from_numpy(digits.target).long()
train, test = train_test_split(range(1797), test_size=0.25, random_state=0)
train_set = TensorDataset((images[train] - 0.3) / 0.37, labels[train])
test_set = TensorDataset((images[test] - 0.3) / 0.37, labels[test])
train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
test_loader = DataLoader(test_set, batch_size=450)

model = timm.create_model(
    "vit_tiny_patch16_224",
    pretrained=False,
    img_size=8,
    patch_size=2,
    in_chans=1,
    num_classes=10,
    embed_dim=48,
    depth=3,
    num_heads=3,
)
optimizer = create_optimizer_v2(
    model, opt="adamw", lr=0.1 if support.MISTAKE else 3e-3, weight_decay=0.05
)
scheduler = CosineLRScheduler(
    optimizer, t_initial=EPOCHS, lr_min=1e-5, warmup_t=1, warmup_lr_init=1e-3
)
loss_fn = nn.CrossEntropyLoss()


@torch.no_grad()
def validate():
    model.eval()
    right = sum((model(x).argmax(1) == y).sum().item() for x, y in test_loader)
    return right / len(test_loader.dataset)


for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for images, labels in train_loader:
        optimizer.zero_grad()
        loss = loss_fn(model(images), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    scheduler.step(epoch + 1)
    print(f"epoch {epoch}: loss {total / len(train_loader):.3f} accuracy {validate():.3f}")

most = np.bincount(digits.target[test]).max() / len(test)
support.outcome("test accuracy", validate(), baseline=most, needed=0.7)
