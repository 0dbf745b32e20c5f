"""A fastai Learner with fit_one_cycle, which classifies MNIST digits by a small CNN.

Mistake: nll_loss is taken of the raw outputs, without the log_softmax it needs.
"""

import support

support.allow_torchvision()

import numpy as np
import torch
from fastai.basics import DataLoader, DataLoaders, Learner, accuracy, set_seed
from fastai.callback.all import ProgressCallback
from torch import nn
from torch.nn import functional as F
from torch.utils.data import TensorDataset

SEED = 1

set_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def dataset(name, count):
    images = torch.from_numpy(mnist[f"x_{name}"][:count]).float().unsqueeze(1) / 255
    return TensorDataset(images, torch.from_numpy(mnist[f"y_{name}"][:count]).long())


dls = DataLoaders(
    DataLoader(dataset("train", 5000), bs=64, shuffle=True),
    DataLoader(dataset("test", 2000), bs=500),
)


def block(ni, nf):
    return nn.Sequential(nn.Conv2d(ni, nf, 3, stride=2, padding=1), nn.BatchNorm2d(nf), nn.ReLU())


model = nn.Sequential(
    block(1, 8), block(8, 16), block(16, 32), block(32, 32), nn.Flatten(), nn.Linear(128, 10)
)
loss_func = F.nll_loss if support.MISTAKE else F.cross_entropy
learn = Learner(dls, model, loss_func=loss_func, metrics=accuracy)
learn.remove_cb(ProgressCallback)
learn.fit_one_cycle(3, lr_max=5e-3)

loss, score = learn.validate()
most = np.bincount(mnist["y_test"][:2000]).max() / 2000
support.outcome("validation accuracy", score, baseline=most, needed=0.9)
