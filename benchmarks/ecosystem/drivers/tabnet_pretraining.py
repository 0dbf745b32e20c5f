"""pytorch-tabnet's TabNetPretrainer on sklearn's digits, then a classifier that starts from it."""

import numpy as np
import support
import torch
from pytorch_tabnet.pretraining import TabNetPretrainer
from pytorch_tabnet.tab_model import TabNetClassifier
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

SEED = 0

torch.manual_seed(SEED)
np.random.seed(SEED)
x, y = load_digits(return_X_y=True)
x = (x / 16).astype(np.float32)
x_train, x_test, y_train, y_test = train_test_split(
    x, y, test_size=0.25, stratify=y, random_state=0
)
x_few, x_valid, y_few, y_valid = train_test_split(
    x_train, y_train, test_size=0.3, stratify=y_train, random_state=0
)

shape = {"n_d": 16, "n_a": 16, "n_steps": 3, "gamma": 1.3, "mask_type": "entmax"}
pretrainer = TabNetPretrainer(
    **shape,
    seed=SEED,
    device_name="cpu",
    optimizer_fn=torch.optim.Adam,
    optimizer_params={"lr": 2e-2},
)
pretrainer.fit(
    X_train=x_few,
    eval_set=[x_valid],
    pretraining_ratio=0.5,
    max_epochs=8,
    patience=10,
    batch_size=128,
    virtual_batch_size=64,
)
print("unsupervised score", pretrainer.history["val_0_unsup_loss_numpy"][-1])

classifier = TabNetClassifier(
    seed=SEED,
    device_name="cpu",
    optimizer_fn=torch.optim.Adam,
    optimizer_params={"lr": 2e-2},
    scheduler_fn=torch.optim.lr_scheduler.StepLR,
    scheduler_params={"step_size": 10, "gamma": 0.8},
)
classifier.fit(
    X_train=x_few,
    y_train=y_few,
    eval_set=[(x_valid, y_valid)],
    eval_metric=["accuracy"],
    max_epochs=15,
    patience=15,
    batch_size=128,
    virtual_batch_size=64,
    from_unsupervised=pretrainer,
)

accuracy = accuracy_score(y_test, classifier.predict(x_test))
most = np.bincount(y_test).max() / len(y_test)
support.outcome("test accuracy", accuracy, baseline=most, needed=0.7)
