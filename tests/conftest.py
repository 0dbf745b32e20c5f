from __future__ import annotations

import os
import tempfile

# Small models on few cores: threads only get into each other's way, in child processes too.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.pop("PARAMEDIC", None)
os.environ["PARAMEDIC_HOME"] = tempfile.mkdtemp(prefix="paramedic-tests-")

import pytest
import torch


@pytest.fixture(autouse=True)
def _same_draws_in_any_order() -> None:
    """What a test draws does not depend on which tests ran, or were skipped, before it."""
    torch.manual_seed(0)
