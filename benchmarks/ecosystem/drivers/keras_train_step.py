"""A Keras model (torch backend) with its own train_step, which classifies sklearn's digits.

Mistake: train_step never zeroes the gradients, so that they pile up from batch to batch.
"""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import support
import torch
from keras import layers
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SEED = 1


class CustomModel(keras.Model):
    def train_step(self, data):
        x, y = data
        if not support.MISTAKE:
            self.zero_grad()
        loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        loss.backward()

        weights = list(self.trainable_weights)
        gradients = [v.value.grad for v in weights]
        with torch.no_grad():
            self.optimizer.apply(gradients, weights)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, self(x, training=False))
        return {m.name: m.result() for m in self.metrics}


keras.utils.set_random_seed(SEED)
x, y = load_digits(return_X_y=True)
x_train, x_test, y_train, y_test = train_test_split(
    (x / 16).astype("float32"), y, test_size=0.25, stratify=y, random_state=0
)

inputs = keras.Input(shape=(64,))
hidden = layers.Dense(64, activation="relu")(inputs)
hidden = layers.Dense(64, activation="relu")(hidden)
model = CustomModel(inputs, layers.Dense(10)(hidden))
model.compile(
    optimizer=keras.optimizers.SGD(0.05),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
)
model.fit(x_train, y_train, batch_size=32, epochs=12, validation_data=(x_test, y_test), verbose=2)

accuracy = (model.predict(x_test, verbose=0).argmax(1) == y_test).mean().item()
most = np.bincount(y_test).max() / len(y_test)
support.outcome("test accuracy", accuracy, baseline=most, needed=0.85)
