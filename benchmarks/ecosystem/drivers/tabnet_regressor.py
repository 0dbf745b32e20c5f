"""pytorch-tabnet's TabNetRegressor on sklearn's breast cancer data: the worst area from the means.

Mistake: inputs and targets are split in two calls with different random states.
"""

import numpy as np
import support
from pytorch_tabnet.tab_model import TabNetRegressor
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

SEED = 0

data = load_breast_cancer(as_frame=True).frame
x = data[[name for name in data.columns if name.startswith("mean ")]].to_numpy()
y = data[["worst area"]].to_numpy()
x_train, x_test = train_test_split(x, test_size=0.25, random_state=SEED)
y_train, y_test = train_test_split(
    y, test_size=0.25, random_state=SEED + 1 if support.MISTAKE else SEED
)
x_train, x_valid, y_train, y_valid = train_test_split(
    x_train, y_train, test_size=0.2, random_state=SEED
)

scale_x = StandardScaler().fit(x_train)
x_train, x_valid, x_test = map(scale_x.transform, (x_train, x_valid, x_test))
scale_y = StandardScaler().fit(y_train)
y_train, y_valid, y_test = map(scale_y.transform, (y_train, y_valid, y_test))

model = TabNetRegressor(optimizer_params={"lr": 2e-2}, seed=SEED, verbose=10)
model.fit(
    x_train,
    y_train,
    eval_set=[(x_valid, y_valid)],
    eval_metric=["rmse"],
    max_epochs=45,
    patience=30,
    batch_size=64,
    virtual_batch_size=32,
)

r2 = r2_score(y_test, model.predict(x_test))
baseline = r2_score(y_test, np.full_like(y_test, y_train.mean()))
support.outcome("R2 on the test set", r2, baseline=baseline, needed=0.75)
