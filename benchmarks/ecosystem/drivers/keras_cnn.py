"""A functional Keras CNN on MNIST with the torch backend, trained by model.fit.

Mistake: Adam is given the learning rate 1, a thousand times the usual.
"""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import support
from keras import layers

SEED = 1

keras.utils.set_random_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)
x_train = mnist["x_train"][:5000, :, :, None].astype("float32") / 255
x_test = mnist["x_test"][:2000, :, :, None].astype("float32") / 255
y_train = keras.utils.to_categorical(mnist["y_train"][:5000], 10)
y_test = keras.utils.to_categorical(mnist["y_test"][:2000], 10)

inputs = keras.Input(shape=(28, 28, 1))
x = layers.Conv2D(16, kernel_size=3, activation="relu")(inputs)
x = layers.MaxPooling2D(pool_size=2)(x)
x = layers.Conv2D(32, kernel_size=3, activation="relu")(x)
x = layers.MaxPooling2D(pool_size=2)(x)
x = layers.Flatten()(x)
x = layers.Dropout(0.3)(x)
outputs = layers.Dense(10, activation="softmax")(x)
model = keras.Model(inputs, outputs)

model.compile(
    loss="categorical_crossentropy",
    optimizer=keras.optimizers.Adam(1.0 if support.MISTAKE else 0.001),
    metrics=["accuracy"],
)
model.fit(x_train, y_train, batch_size=64, epochs=3, validation_split=0.1, verbose=2)

loss, accuracy = model.evaluate(x_test, y_test, batch_size=250, verbose=0)
most = y_test.mean(0).max().item()
support.outcome("test accuracy", accuracy, baseline=most, needed=0.88)
