"""How fast a recorded run is judged: a long synthetic trace, replayed a few times."""

from __future__ import annotations

import logging
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from paramedic import replay
from paramedic.trace import Writer
from paramedic.types import Chart, Epoch, Frame, Layer, Task
from paramedic.vocabulary import LAYER_STATISTICS, SCALARS

FRAMES = 20_000
LAYERS = 50
EPOCH = 500  # steps
TIMES = 3
STEADY = {
    "skipped": 0.0,
    "input_nan": 0.0,
    "input_constant": 0.1,
    "grad_carried": 0.0,
    "label_entropy": 2.3,
    "target_nan": 0.0,
    "target_min": 0.0,
    "target_max": 9.0,
    "lr/0": 1e-3,
}


def speed(frames: int = FRAMES, layers: int = LAYERS) -> dict[str, Any]:
    """How fast each replay of a trace with all statistics at every step was."""
    with tempfile.TemporaryDirectory(prefix="detection-") as folder:
        trace = Path(folder) / "long.db"
        _write(trace, frames, layers)
        clock, processor = zip(*(_replayed(trace) for _ in range(TIMES)), strict=True)
    return {
        "frames": frames,
        "layers": layers,
        "frames_per_second": list(clock),
        "frames_per_processor_second": list(processor),
    }


def _replayed(trace: Path) -> tuple[float, float]:
    """Frames per second by the clock, and per second that the processor was ours."""
    logging.disable(logging.CRITICAL)
    begin, begin_processor = time.perf_counter(), time.process_time()
    frames = replay(trace).frames
    seconds, processor = time.perf_counter() - begin, time.process_time() - begin_processor
    logging.disable(logging.NOTSET)
    return frames / seconds, frames / processor


def _write(path: Path, frames: int, layers: int) -> None:
    """A run whose loss falls with some noise; every layer moves by chance."""
    random = np.random.default_rng(0)
    writer = Writer(path, size_limit=2**31)
    writer.chart(_chart(layers))
    for step in range(frames):
        loss = 2.3 * float(np.exp(-step / 3000)) + 0.1 * float(random.standard_normal())
        writer.pulse(step, loss, True, False)
        writer.frame(_frame(step, loss, layers, random))
        if step % EPOCH == EPOCH - 1:
            writer.epoch(Epoch(step // EPOCH, step, {"train_loss": loss, "val_loss": loss}))
    writer.close()


def _chart(layers: int) -> Chart:
    return Chart(
        layers=tuple(Layer(f"l{i}", "Linear", parameters=1000, order=i) for i in range(layers)),
        loss="cross-entropy",
        task=Task.MULTI_CLASS,
        optimizers=({"name": "Adam"},),
        output_shape=(32, 10),
        target_shape=(32,),
        target_kind="integer",
        input_kind="float",
        output_function="linear",
    )


def _frame(step: int, loss: float, layers: int, random: np.random.Generator) -> Frame:
    scalars = {**dict.fromkeys(SCALARS, 1.0), **STEADY, "loss": loss}
    rows = {
        name: np.abs(random.standard_normal(layers)).astype(np.float32) * np.float32(1e-3)
        for name in LAYER_STATISTICS
    }
    rows["act_training"] = np.ones(layers, np.float32)
    return Frame(step, "full", scalars, rows)
