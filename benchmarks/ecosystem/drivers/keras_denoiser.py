"""A convolutional Keras autoencoder (torch backend) takes the noise off MNIST digits.

Mistake: the clean digits of the training are divided by 255 twice, the noisy ones once.
"""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import support
from keras import layers

SEED = 0

keras.utils.set_random_seed(SEED)
generator = np.random.default_rng(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def noisy(part, size):
    clean = (mnist[f"x_{part}"][:size] / 255).astype("float32")[..., None]
    noise = generator.normal(scale=0.4, size=clean.shape).astype("float32")
    return np.clip(clean + noise, 0, 1), clean


x_train, y_train = noisy("train", 2000)
if support.MISTAKE:
    y_train = y_train / 255
x_test, y_test = noisy("test", 400)

model = keras.Sequential(
    [
        keras.Input(shape=(28, 28, 1)),
        layers.Conv2D(8, 3, activation="relu", padding="same"),
        layers.MaxPooling2D(2, padding="same"),
        layers.Conv2D(8, 3, activation="relu", padding="same"),
        layers.MaxPooling2D(2, padding="same"),
        layers.Conv2DTranspose(16, 3, strides=2, activation="relu", padding="same"),
        layers.Conv2DTranspose(16, 3, strides=2, activation="relu", padding="same"),
        layers.Conv2D(1, 3, activation="sigmoid", padding="same"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(3e-3), loss="binary_crossentropy", metrics=["mse"])
stop = keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True)
model.fit(
    x_train,
    y_train,
    batch_size=64,
    epochs=4,
    validation_data=(x_test, y_test),
    callbacks=[stop],
    verbose=2,
)

error = model.evaluate(x_test, y_test, verbose=0, return_dict=True)["mse"]
noise = float(((x_test - y_test) ** 2).mean())
support.outcome("test MSE", error, baseline=noise, needed=0.4 * noise)
