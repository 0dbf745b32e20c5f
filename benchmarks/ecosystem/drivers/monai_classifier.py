"""A small DenseNet of MONAI classifies MNIST digits by MONAI's SupervisedTrainer.

Mistake: noise of standard deviation 25 is added after the scaling to 0..1 and not before it.
"""

import logging

import numpy as np
import support
import torch
from ignite.metrics import Accuracy
from monai.data import DataLoader, Dataset
from monai.engines import SupervisedEvaluator, SupervisedTrainer
from monai.handlers import StatsHandler, ValidationHandler, from_engine
from monai.inferers import SimpleInferer
from monai.networks.nets import DenseNet
from monai.transforms import (
    Compose,
    EnsureChannelFirstd,
    EnsureTyped,
    RandGaussianNoised,
    ScaleIntensityRanged,
)
from monai.utils import set_determinism

SEED = 0

logging.basicConfig(level=logging.WARNING)
set_determinism(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def items(part, size):
    pairs = zip(mnist[f"x_{part}"][:size], mnist[f"y_{part}"][:size], strict=True)
    return [{"image": image.astype(np.float32), "label": int(label)} for image, label in pairs]


first = EnsureChannelFirstd("image", channel_dim="no_channel")
scale = ScaleIntensityRanged("image", a_min=0, a_max=255, b_min=0, b_max=1)
noise = RandGaussianNoised("image", prob=1.0, mean=0.0, std=25.0)
augmented = [scale, noise] if support.MISTAKE else [noise, scale]
last = EnsureTyped("image")
train = Dataset(items("train", 1600), Compose([first, *augmented, last]))
valid = Dataset(items("test", 500), Compose([first, scale, last]))
train_loader = DataLoader(train, batch_size=32, shuffle=True)
valid_loader = DataLoader(valid, batch_size=100)

net = DenseNet(
    spatial_dims=2,
    in_channels=1,
    out_channels=10,
    init_features=16,
    growth_rate=8,
    block_config=(2, 2),
)
evaluator = SupervisedEvaluator(
    device=torch.device("cpu"),
    val_data_loader=valid_loader,
    network=net,
    inferer=SimpleInferer(),
    key_val_metric={"accuracy": Accuracy(from_engine(["pred", "label"]))},
)
trainer = SupervisedTrainer(
    device=torch.device("cpu"),
    max_epochs=3,
    train_data_loader=train_loader,
    network=net,
    optimizer=torch.optim.Adam(net.parameters(), lr=3e-3),
    loss_function=torch.nn.CrossEntropyLoss(),
    inferer=SimpleInferer(),
    train_handlers=[
        ValidationHandler(1, evaluator),
        StatsHandler(output_transform=lambda output: output["loss"]),
    ],
    decollate=False,
)
trainer.run()

accuracy = evaluator.state.metrics["accuracy"]
most = np.bincount(mnist["y_test"][:500]).max() / 500
support.outcome("validation accuracy", accuracy, baseline=most, needed=0.8)
