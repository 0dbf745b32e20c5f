"""NHITS of neuralforecast on its AirPassengers series: the last twelve months from those before.

Mistake: the learning rate is a million times too small (1e-9 instead of 1e-3).
"""

import logging
import tempfile

import numpy as np
import support
from neuralforecast import NeuralForecast
from neuralforecast.losses.pytorch import MAE
from neuralforecast.models import NHITS
from neuralforecast.utils import AirPassengersDF

SEED = 0
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)

horizon = 12
train = AirPassengersDF.iloc[:-horizon]
test = AirPassengersDF.iloc[-horizon:]

with tempfile.TemporaryDirectory() as folder:
    model = NHITS(
        h=horizon,
        input_size=2 * horizon,
        loss=MAE(),
        max_steps=200,
        val_check_steps=50,
        windows_batch_size=64,
        learning_rate=1e-9 if support.MISTAKE else 1e-3,
        scaler_type="robust",
        random_seed=SEED,
        enable_progress_bar=False,
        default_root_dir=folder,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
    )
    forecaster = NeuralForecast(models=[model], freq="ME")
    forecaster.fit(df=train, val_size=horizon)
    forecast = forecaster.predict()

error = np.abs(forecast["NHITS"].to_numpy() - test["y"].to_numpy()).mean()
last_value = np.abs(train["y"].iloc[-1] - test["y"].to_numpy()).mean()
support.outcome("mean absolute error", error, baseline=last_value, needed=40.0)
