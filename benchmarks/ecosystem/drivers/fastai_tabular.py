"""fastai's tabular learner predicts the progress of diabetes from scikit-learn's data.

Mistake: y_range is left at (0, 1), as for a share, but the targets go from 25 to 346.
"""

import support

support.allow_torchvision()

import numpy as np
from fastai.callback.all import ProgressCallback
from fastai.tabular.all import (
    Categorify,
    FillMissing,
    Normalize,
    RandomSplitter,
    RegressionBlock,
    TabularDataLoaders,
    rmse,
    set_seed,
    tabular_learner,
)
from sklearn.datasets import load_diabetes

SEED = 1

set_seed(SEED, reproducible=True)
table = load_diabetes(as_frame=True, scaled=False).frame
table["sex"] = table["sex"].astype(int)
measured = [name for name in table.columns if name not in ("sex", "target")]
splits = RandomSplitter(valid_pct=0.25, seed=SEED)(range(len(table)))

dls = TabularDataLoaders.from_df(
    table,
    procs=[Categorify, FillMissing, Normalize],
    cat_names=["sex"],
    cont_names=measured,
    y_names="target",
    y_block=RegressionBlock(),
    valid_idx=list(splits[1]),
    bs=32,
)
y_range = (0, 1) if support.MISTAKE else (0, 380)
learn = tabular_learner(dls, layers=[100, 50], y_range=y_range, metrics=rmse)
learn.remove_cb(ProgressCallback)
learn.fit_one_cycle(12, lr_max=5e-3)

loss, error = learn.validate()
target = table["target"].to_numpy()
constant = np.sqrt(((target[splits[1]] - target[splits[0]].mean()) ** 2).mean())
support.outcome("validation RMSE", error, baseline=constant, needed=0.85 * constant)
