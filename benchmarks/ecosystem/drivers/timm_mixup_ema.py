"""A small ConvNeXt of timm on CIFAR-10 with Mixup, an average of the weights and a cosine schedule.

The average of the weights (ModelEmaV3) is what is judged, as timm's training script does.
"""

import numpy as np
import support
import torch

support.allow_torchvision()

import timm
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import AverageMeter, ModelEmaV3, accuracy
from torch.utils.data import DataLoader, TensorDataset

SEED = 0
EPOCHS = 5

torch.manual_seed(SEED)
np.random.seed(SEED)
cifar = np.load(support.data("cifar10/cifar10_10k_2k.npz"), allow_pickle=False)


def dataset(part, size):
    images = torch.from_numpy(cifar[f"x_{part}"][:size]).float() / 255
    if images.shape[-1] == 3:
        images = images.permute(0, 3, 1, 2).contiguous()
    labels = torch.from_numpy(cifar[f"y_{part}"][:size]).long().flatten()
    return TensorDataset((images - 0.47) / 0.25, labels)


test = dataset("test", 1000)
train_loader = DataLoader(dataset("train", 3200), batch_size=64, shuffle=True, drop_last=True)
test_loader = DataLoader(test, batch_size=250)

model = timm.create_model(
    "convnext_atto",
    num_classes=10,
    depths=(1, 1, 1, 1),
    dims=(16, 32, 48, 64),
    patch_size=2,
    drop_path_rate=0.05,
)
ema = ModelEmaV3(model, decay=0.99, use_warmup=True)
optimizer = create_optimizer_v2(model, opt="adamw", lr=5e-3, weight_decay=0.05)
scheduler = CosineLRScheduler(optimizer, t_initial=EPOCHS, warmup_t=1, warmup_lr_init=1e-4)
mixup = Mixup(mixup_alpha=0.2, cutmix_alpha=0.0, label_smoothing=0.05, num_classes=10)
train_loss = SoftTargetCrossEntropy()


@torch.no_grad()
def validate(net):
    net.eval()
    top1 = AverageMeter()
    for images, labels in test_loader:
        top1.update(accuracy(net(images), labels)[0].item(), len(images))
    return top1.avg / 100


for epoch in range(EPOCHS):
    model.train()
    losses = AverageMeter()
    for images, labels in train_loader:
        images, targets = mixup(images, labels)
        loss = train_loss(model(images), targets)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        ema.update(model)
        losses.update(loss.item(), len(images))
    scheduler.step(epoch + 1)
    print(f"epoch {epoch}: loss {losses.avg:.3f} top-1 {validate(model):.3f}")

most = test.tensors[1].bincount().max().item() / len(test)
support.outcome("accuracy of the average", validate(ema.module), baseline=most, needed=0.35)
