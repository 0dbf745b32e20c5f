"""skorch's NeuralNetClassifier in a scikit-learn pipeline on the wine data.

Mistake: the StandardScaler is missing, so features of very different sizes go into the network.
"""

import numpy as np
import support
import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier
from skorch.callbacks import EpochScoring
from torch import nn

SEED = 1


class WineNet(nn.Module):
    def __init__(self, num_units=32, dropout=0.1):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(13, num_units),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(num_units, num_units),
            nn.ReLU(),
            nn.Linear(num_units, 3),
        )

    def forward(self, x):
        return self.layers(x).softmax(dim=-1)


torch.manual_seed(SEED)
x, y = load_wine(return_X_y=True)
x, y = x.astype(np.float32), y.astype(np.int64)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.3, stratify=y, random_state=0)

net = NeuralNetClassifier(
    WineNet,
    max_epochs=60,
    lr=0.1,
    batch_size=32,
    iterator_train__shuffle=True,
    callbacks=[EpochScoring("accuracy", on_train=True, name="train_acc", lower_is_better=False)],
    verbose=0,
)
steps = [("net", net)] if support.MISTAKE else [("scale", StandardScaler()), ("net", net)]
pipeline = Pipeline(steps)
pipeline.fit(x_train, y_train)
for row in net.history[9::10]:
    print("epoch", row["epoch"], "train", row["train_loss"], "valid", row["valid_loss"])

most = np.bincount(y_test).max() / len(y_test)
support.outcome("test accuracy", pipeline.score(x_test, y_test), baseline=most, needed=0.88)
