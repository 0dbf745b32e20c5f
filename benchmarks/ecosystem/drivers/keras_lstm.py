"""A Keras LSTM (torch backend) that tells Reuters' earnings reports from other news.

Mistake: the one output unit has a softmax, which is always 1, instead of a sigmoid.
"""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import support
from keras import layers

SEED = 1
LENGTH = 30

keras.utils.set_random_seed(SEED)
reuters = np.load(support.data("reuters/reuters46_tok10k.npz"), allow_pickle=False)
topics = support.data("reuters/topics46.txt").read_text().split()


def part(name, count):
    tokens, offsets = reuters[f"tokens_{name}"], reuters[f"offsets_{name}"]
    texts = [tokens[offsets[i] : offsets[i + 1]] for i in range(count)]
    x = keras.utils.pad_sequences(texts, maxlen=LENGTH, truncating="post")
    return x, (reuters[f"y_{name}"][:count] == topics.index("earn")).astype("float32")


x_train, y_train = part("train", 4000)
x_test, y_test = part("test", 1500)

model = keras.Sequential(
    [
        keras.Input(shape=(LENGTH,), dtype="int32"),
        layers.Embedding(10000, 32),
        layers.LSTM(32),
        layers.Dense(1, activation="softmax" if support.MISTAKE else "sigmoid"),
    ]
)
model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=64, epochs=3, validation_split=0.1, verbose=2)

loss, accuracy = model.evaluate(x_test, y_test, batch_size=250, verbose=0)
most = max(y_test.mean(), 1 - y_test.mean()).item()
support.outcome("test accuracy", accuracy, baseline=most, needed=0.85)
