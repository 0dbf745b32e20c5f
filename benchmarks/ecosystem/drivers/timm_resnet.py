"""A small ResNet of timm from scratch on MNIST with timm's optimizer and scheduler factories.

Mistake: the scheduler is never stepped, so the rate stays at the first value of the warmup.
"""

import numpy as np
import support
import torch

support.allow_torchvision()

import timm
from timm.loss import LabelSmoothingCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import create_scheduler_v2
from timm.utils import AverageMeter, accuracy
from torch.utils.data import DataLoader, TensorDataset

SEED = 1
EPOCHS = 4

torch.manual_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def dataset(name, count):
    images = torch.from_numpy(mnist[f"x_{name}"][:count]).float().unsqueeze(1) / 255
    labels = torch.from_numpy(mnist[f"y_{name}"][:count]).long()
    return TensorDataset((images - 0.1307) / 0.3081, labels)


train_loader = DataLoader(dataset("train", 2560), batch_size=64, shuffle=True, drop_last=True)
test_loader = DataLoader(dataset("test", 1000), batch_size=250)

model = timm.create_model(
    "resnet10t",
    pretrained=False,
    in_chans=1,
    num_classes=10,
    channels=(16, 32, 64, 128),
    stem_width=8,
)
optimizer = create_optimizer_v2(model, opt="sgd", lr=0.05, momentum=0.9, weight_decay=1e-4)
scheduler, epochs = create_scheduler_v2(
    optimizer,
    sched="cosine",
    num_epochs=EPOCHS,
    warmup_epochs=1,
    warmup_lr=1e-6,
    step_on_epochs=False,
    updates_per_epoch=len(train_loader),
)
loss_fn = LabelSmoothingCrossEntropy(smoothing=0.1)


@torch.no_grad()
def validate():
    model.eval()
    top1 = AverageMeter()
    for images, labels in test_loader:
        top1.update(accuracy(model(images), labels)[0].item(), len(images))
    return top1.avg / 100


updates = 0
for epoch in range(epochs):
    model.train()
    losses = AverageMeter()
    for images, labels in train_loader:
        loss = loss_fn(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss.item(), len(images))
        updates += 1
        if not support.MISTAKE:
            scheduler.step_update(num_updates=updates)
    print(f"epoch {epoch}: loss {losses.avg:.3f} top-1 {validate():.3f}")

most = np.bincount(mnist["y_test"][:1000]).max() / 1000
support.outcome("test accuracy", validate(), baseline=most, needed=0.85)
