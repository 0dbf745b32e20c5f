"""pytorch-tabnet's TabNetClassifier on sklearn's digits, with a validation set and early stopping.

Mistake: the scheduler, meant to be called rarely, divides the learning rate by ten every epoch.
"""

import numpy as np
import support
import torch
from pytorch_tabnet.tab_model import TabNetClassifier
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

SEED = 0

x, y = load_digits(return_X_y=True)
x = (x / 16).astype(np.float32)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, random_state=SEED)
x_train, x_valid, y_train, y_valid = train_test_split(
    x_train, y_train, test_size=0.2, random_state=SEED
)

model = TabNetClassifier(
    optimizer_fn=torch.optim.Adam,
    optimizer_params={"lr": 2e-2},
    scheduler_fn=torch.optim.lr_scheduler.StepLR,
    scheduler_params={"step_size": 1, "gamma": 0.1}
    if support.MISTAKE
    else {"step_size": 10, "gamma": 0.9},
    seed=SEED,
    verbose=5,
)
model.fit(
    x_train,
    y_train,
    eval_set=[(x_train, y_train), (x_valid, y_valid)],
    eval_name=["train", "valid"],
    eval_metric=["accuracy"],
    max_epochs=30,
    patience=20,
    batch_size=128,
    virtual_batch_size=64,
)

accuracy = accuracy_score(y_test, model.predict(x_test))
most_frequent = np.bincount(y_test).max() / len(y_test)
support.outcome("test accuracy", accuracy, baseline=most_frequent, needed=0.7)
