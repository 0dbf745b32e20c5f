from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

if sys.platform != "linux":
    pytest.skip("mappings of Linux", allow_module_level=True)

from paramedic.experiment.sandbox.mappings import privatise
from tests.experiment.sandbox.forked import forked


def test_a_file_that_is_written_through(tmp_path: Path) -> None:
    array = np.memmap(tmp_path / "array", np.float32, "w+", shape=5000)
    array[:] = 1

    def inside() -> float:
        privatise()
        array[:10] = 2
        array.flush()
        return float(array.sum())

    assert forked(inside) == (0, "5010.0")
    assert float(array.sum()) == 5000
    assert np.fromfile(tmp_path / "array", np.float32).sum() == 5000


def test_tensors_and_values_that_are_shared() -> None:
    tensor = torch.ones(3).share_memory_()
    value = multiprocessing.get_context("fork").Value("i", 7)

    def inside() -> object:
        privatise()
        tensor.add_(1)
        value.value += 1
        return tensor.tolist(), value.value

    assert forked(inside) == (0, str(([2.0, 2.0, 2.0], 8)))
    assert (tensor.tolist(), value.value) == ([1.0, 1.0, 1.0], 7)
