"""A skorch classifier in the style of scikit-learn; the learning rate is the argument."""

import sys

import numpy as np
import torch
from skorch import NeuralNetClassifier
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(600, 8)).astype(np.float32)
y = (x[:, 0] * x[:, 1] > 0).astype(np.int64)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 32)
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


net = NeuralNetClassifier(
    Net,
    criterion=nn.CrossEntropyLoss,
    optimizer=torch.optim.Adam,
    lr=float(sys.argv[1]),
    max_epochs=10,
    batch_size=24,
    iterator_train__shuffle=True,
    verbose=0,
)
net.fit(x, y)
