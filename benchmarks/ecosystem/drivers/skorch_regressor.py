"""skorch's NeuralNetRegressor on sklearn's diabetes data with its internal validation split.

Mistake: the learning rate is a thousandth of what it should be.
"""

import numpy as np
import support
import torch
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetRegressor
from skorch.callbacks import EpochScoring
from torch import nn

SEED = 1


class Regressor(nn.Module):
    def __init__(self, hidden=50):
        super().__init__()
        self.hidden = nn.Linear(10, hidden)
        self.output = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.output(torch.relu(self.hidden(x)))


torch.manual_seed(SEED)
x, y = load_diabetes(return_X_y=True)
x, y = x.astype(np.float32), y.astype(np.float32)[:, None]
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25, random_state=0)
scale_x, scale_y = StandardScaler().fit(x_train), StandardScaler().fit(y_train)

net = NeuralNetRegressor(
    Regressor,
    max_epochs=20,
    lr=2e-5 if support.MISTAKE else 0.02,
    batch_size=32,
    optimizer=torch.optim.SGD,
    optimizer__momentum=0.5,
    iterator_train__shuffle=True,
    callbacks=[EpochScoring("r2", lower_is_better=False)],
    verbose=0,
)
net.fit(scale_x.transform(x_train), scale_y.transform(y_train))
for row in net.history[4::5]:
    print("epoch", row["epoch"], "train", row["train_loss"], "valid r2", row["r2"])

predicted = scale_y.inverse_transform(net.predict(scale_x.transform(x_test)))
support.outcome("test R²", r2_score(y_test, predicted), baseline=0.0, needed=0.2)
