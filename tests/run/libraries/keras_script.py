"""Keras 3 on torch; the learning rate is the argument."""

import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(500, 8)).astype("float32")
y = (x[:, 0] * x[:, 1] > 0).astype("int64")
model = keras.Sequential(
    [keras.layers.Input((8,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(2)]
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=float(sys.argv[1])),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
model.fit(x, y, batch_size=25, epochs=10, verbose=0)
