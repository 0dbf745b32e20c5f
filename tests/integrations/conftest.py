from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries write into the folder that is current, and must not phone home."""
    monkeypatch.chdir(tmp_path)
    for name in ("WANDB_SILENT", "HF_HUB_OFFLINE", "MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
        monkeypatch.setenv(name, "true")
    for name in ("WANDB_DIR", "WANDB_DATA_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.fixture
def same_streams() -> Iterator[None]:
    """Nothing may be drawn from the random streams of Python and NumPy."""
    random.seed(3)
    np.random.seed(3)
    before = random.getstate(), np.random.get_state()[1].tolist()
    yield
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


@pytest.fixture(autouse=True)
def _torch_as_it_was() -> Iterator[None]:
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_rng_state(state)
    torch.set_num_threads(threads)
