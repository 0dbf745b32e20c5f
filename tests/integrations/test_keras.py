"""Keras reads its backend when it is imported, so this runs in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import paramedic

SOURCE = str(Path(paramedic.__file__).parent.parent)
SCRIPT = """
import numpy as np, keras
from paramedic.integrations.keras import Watch

keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(60, 8)).astype("float32")
y = (x[:, 0] > 0).astype("int64")
model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(2)])
model.compile(
    keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
apply = keras.optimizers.Optimizer.apply
watch = Watch(strict=True, overhead=None)
model.fit(
    x, y, batch_size=12, epochs=2, verbose=0, validation_data=(x, y), callbacks=[watch]
)
monitor = watch.monitor
print(monitor.last_step, monitor.status().steps, sorted(monitor.window().epochs[-1].values))
assert keras.optimizers.Optimizer.apply is apply
assert monitor._closed
"""


def test_fit_is_watched() -> None:
    if find_spec("keras") is None:
        pytest.skip("keras is not installed: extra `keras`")
    shown = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT], capture_output=True, text=True,
        env={**os.environ, "KERAS_BACKEND": "torch", "PYTHONPATH": SOURCE}, timeout=200,
        check=False,
    )  # fmt: skip
    names = "['train_acc', 'train_loss', 'val_acc', 'val_loss']"
    assert shown.stdout.strip() == f"9 10 {names}", shown.stderr
