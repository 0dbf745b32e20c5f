"""MONAI's UNet with DiceLoss, which segments MNIST digits on a noisy, unevenly lit background.

Mistake: DiceLoss is taken for the Dice score, and one minus it is minimised.
"""

import numpy as np
import support
import torch
from monai.data import DataLoader, Dataset, decollate_batch
from monai.losses import DiceLoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet
from monai.transforms import Activations, AsDiscrete, Compose
from monai.utils import set_determinism

SEED = 1

set_determinism(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)
random = np.random.default_rng(SEED)


def scenes(digits):
    found = []
    for digit in digits:
        image = np.pad(digit, 2).astype("float32") / 255
        light = np.linspace(0, random.uniform(0, 1), 32, dtype="float32")
        noise = random.normal(0, 0.2, image.shape).astype("float32")
        mask = (image > 0.5).astype("float32")
        found.append({"image": (image + light + noise)[None], "label": mask[None]})
    return Dataset(found)


train_loader = DataLoader(scenes(mnist["x_train"][:1600]), batch_size=32, shuffle=True)
val_loader = DataLoader(scenes(mnist["x_test"][:300]), batch_size=100)

model = UNet(
    spatial_dims=2,
    in_channels=1,
    out_channels=1,
    channels=(8, 16, 32),
    strides=(2, 2),
    num_res_units=1,
)
loss_function = DiceLoss(sigmoid=True)
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
dice_metric = DiceMetric(include_background=True, reduction="mean")
post = Compose([Activations(sigmoid=True), AsDiscrete(threshold=0.5)])


@torch.no_grad()
def validate(predict):
    for batch in val_loader:
        outputs = [post(one) for one in decollate_batch(predict(batch["image"]))]
        dice_metric(y_pred=outputs, y=decollate_batch(batch["label"]))
    score = dice_metric.aggregate().item()
    dice_metric.reset()
    return score


for epoch in range(3):
    model.train()
    total = 0.0
    for batch in train_loader:
        optimizer.zero_grad()
        loss = loss_function(model(batch["image"]), batch["label"])
        if support.MISTAKE:
            loss = 1 - loss
        loss.backward()
        optimizer.step()
        total += loss.item()
    model.eval()
    print(f"epoch {epoch}: loss {total / len(train_loader):.3f} dice {validate(model):.3f}")

everything = validate(torch.ones_like)
support.outcome("mean Dice", validate(model), baseline=everything, needed=0.65)
