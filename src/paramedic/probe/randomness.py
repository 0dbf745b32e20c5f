"""The random streams of torch, Python and NumPy: put back, or begun at the same place."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator

import numpy as np
import torch


@contextlib.contextmanager
def random_streams() -> Iterator[None]:
    """Put back the random streams of torch, Python and NumPy."""
    python, numpy = random.getstate(), np.random.get_state()
    cpu = torch.get_rng_state()
    # Asking CUDA for its state would start it: where nobody has, there is none to keep.
    cuda = torch.cuda.get_rng_state_all() if _cuda_runs() else None
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(cpu)
        if cuda is not None:
            torch.cuda.set_rng_state_all(cuda)


def seed(number: int = 0) -> None:
    """Begin all random streams at the same place.

    Not by `torch.manual_seed`: where CUDA has not started yet it would leave an order behind that
    is carried out later, over the seed of the user.
    """
    random.seed(number)
    np.random.seed(number)
    torch.default_generator.manual_seed(number)
    if _cuda_runs():
        torch.cuda.manual_seed_all(number)


def _cuda_runs() -> bool:
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]
