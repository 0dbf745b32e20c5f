"""Which of the tensors around a call were not finite, and in which samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from paramedic.probe.graph import is_finite


class Bad(NamedTuple):
    """An argument that was not finite."""

    place: int  # among the arguments
    is_leaf: bool  # nothing in the graph computed it
    samples: tuple[int, ...]


def bad_arguments(inputs: Sequence[Tensor]) -> tuple[Bad, ...]:
    """Those with a NaN or an infinity; a mask of minus infinities is meant."""
    return tuple(
        Bad(place, one.grad_fn is None, bad_samples(one))
        for place, one in enumerate(inputs)
        if not _is_usable(one)
    )


def _is_usable(tensor: Tensor) -> bool:
    """Whether a tensor is finite, or a mask of minus infinities that is added to scores."""
    if is_finite(tensor):
        return True
    if tensor.layout is not torch.strided or tensor.is_complex():
        return False
    seen = torch.unique(tensor.detach())  # NaNs are all different
    return len(seen) <= 2 and float(seen[0]) == -math.inf and math.isfinite(seen[-1])


def bad_samples(tensor: Tensor | None) -> tuple[int, ...]:
    """The first few samples of a batch that have a non-finite value."""
    if tensor is None or not tensor.dim() or tensor.layout is not torch.strided:
        return ()
    rows = torch.isfinite(tensor.detach()).reshape(len(tensor), -1).all(dim=1)
    return tuple(torch.nonzero(~rows).flatten()[:8].tolist())
