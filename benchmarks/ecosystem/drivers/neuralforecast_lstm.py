"""The LSTM of neuralforecast on eight exchange rates: the next five days from the last forty.

Mistake: a learning rate of 1, a thousand times the default.
"""

import gzip
import logging
import tempfile

import numpy as np
import pandas as pd
import support
from neuralforecast import NeuralForecast
from neuralforecast.losses.pytorch import MAE
from neuralforecast.models import LSTM

SEED = 0
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)

with gzip.open(support.data("exchange_rate/exchange_rate.csv.gz"), "rt") as file:
    rates = np.loadtxt(file, delimiter=",")[:1000]
days = pd.date_range("1990-01-01", periods=len(rates), freq="D")
table = pd.concat(
    pd.DataFrame({"unique_id": f"currency {i}", "ds": days, "y": 100 * rates[:, i]})
    for i in range(rates.shape[1])
)

horizon, window = 5, 40
with tempfile.TemporaryDirectory() as folder:
    model = LSTM(
        h=horizon,
        input_size=window,
        loss=MAE(),
        max_steps=100,
        val_check_steps=50,
        learning_rate=1.0 if support.MISTAKE else 1e-3,
        encoder_hidden_size=64,
        scaler_type="robust",
        windows_batch_size=128,
        random_seed=SEED,
        enable_progress_bar=False,
        default_root_dir=folder,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
    )
    forecaster = NeuralForecast(models=[model], freq="D")
    result = forecaster.cross_validation(
        df=table, val_size=200, test_size=200, n_windows=None, step_size=horizon
    )


def window_median(rows):
    """What a constant answer gives: the median of the window before the cutoff."""
    history = table[(table["unique_id"] == rows.name[0]) & (table["ds"] <= rows.name[1])]
    return np.abs(history["y"].iloc[-window:].median() - rows["y"]).mean()


error = np.abs(result["LSTM"] - result["y"]).mean()
baseline = result.groupby(["unique_id", "cutoff"])[["y"]].apply(window_median).mean()
support.outcome("mean absolute error", error, baseline=baseline, needed=0.8 * baseline)
