"""Whether what is asked for can be copied: targets that are the tokens at their own places.

A model that predicts the next token is asked for the tokens of its inputs, moved by one. Where the
next token is the same as this one both look alike, so only the other places are compared.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

_ROWS = 16  # of a batch that are compared
_FEWEST = 16  # places that must be left to tell anything

Tokens = NDArray[np.int64]


def copied(tokens: Tensor, target: Tensor) -> dict[str, float]:
    """`target_copied` of a batch, as far as its inputs and targets are tokens that can be put side
    by side. Targets may be flat, and lack one token of each row; negative ones do not count."""
    if not (_is_whole(tokens) and _is_whole(target)) or tokens.dim() != 2:
        return {}
    rows, width = tokens.shape
    missing = {rows * width: 0, rows * (width - 1): 1}.get(target.numel())
    if missing is None or width < 2:
        return {}
    return _share(_first(tokens, width), _first(target.reshape(rows, width - missing), width - 1))


def _first(tokens: Tensor, width: int) -> Tokens:
    return tokens.detach()[:_ROWS, :width].cpu().numpy().astype(np.int64, copy=False)


def _share(tokens: Tokens, target: Tokens) -> dict[str, float]:
    told = (tokens[:, :-1] != tokens[:, 1:]) & (target >= 0)
    count = int(told.sum())
    if count < _FEWEST:
        return {}
    return {"target_copied": float((tokens[:, :-1] == target)[told].mean())}


def _is_whole(tensor: Tensor) -> bool:
    whole = not (tensor.is_floating_point() or tensor.is_complex())
    return whole and tensor.layout is torch.strided
