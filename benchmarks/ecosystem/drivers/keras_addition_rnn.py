"""Sequence to sequence in Keras (torch backend): an LSTM reads "27+5" and writes "32".

Mistake: plain SGD at its default rate instead of Adam, far too slow for this network.
"""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import support
from keras import layers

SEED = 1
DIGITS = 2
CHARS = "0123456789+ "

keras.utils.set_random_seed(SEED)
pairs = np.random.permutation(10**4)[:9000]
questions = [f"{n // 100}+{n % 100}".ljust(2 * DIGITS + 1)[::-1] for n in pairs]
answers = [str(n // 100 + n % 100).ljust(DIGITS + 1) for n in pairs]


def encode(texts):
    codes = np.array([[CHARS.index(c) for c in text] for text in texts])
    return np.eye(len(CHARS), dtype="float32")[codes]


x, y = encode(questions), encode(answers)
x_train, y_train, x_val, y_val = x[:8000], y[:8000], x[8000:], y[8000:]

model = keras.Sequential(
    [
        keras.Input(shape=(2 * DIGITS + 1, len(CHARS))),
        layers.LSTM(96),
        layers.RepeatVector(DIGITS + 1),
        layers.LSTM(96, return_sequences=True),
        layers.Dense(len(CHARS), activation="softmax"),
    ]
)
optimizer = "sgd" if support.MISTAKE else keras.optimizers.Adam(0.005)
model.compile(loss="categorical_crossentropy", optimizer=optimizer, metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=128, epochs=8, validation_data=(x_val, y_val), verbose=2)

loss, accuracy = model.evaluate(x_val, y_val, batch_size=250, verbose=0)
commonest = y_val.mean(0).max(-1).mean().item()
support.outcome("character accuracy", accuracy, baseline=commonest, needed=0.55)
