"""Any tensor as plain numbers: flat, real, this rank's own part.

Gradients and weights come as half, bfloat16, complex, sparse and sharded tensors. Every
statistic is computed on what these functions return, so each oddity is handled once.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

_REAL = {torch.float32, torch.float64, torch.float16, torch.bfloat16}


class Values(NamedTuple):
    """The stored values of a tensor as one real vector, and how many zeros are not stored."""

    flat: Tensor
    implicit_zeros: int = 0


def values(tensor: Tensor) -> Values:
    """`tensor` as a flat real vector that shares its memory where that is possible."""
    if tensor.requires_grad:
        tensor = tensor.detach()
    tensor = local(tensor)
    if tensor.layout is not torch.strided:
        return _stored(tensor)
    return Values(_real(tensor).reshape(-1))


def local(tensor: Tensor) -> Tensor:
    """This rank's shard of a DTensor; any other tensor as it is."""
    if is_sharded(tensor):
        shard: Tensor = tensor.to_local()  # type: ignore[attr-defined]
        return shard
    return tensor


def is_sharded(tensor: Tensor) -> bool:
    """Whether the tensor is a DTensor. Looks up the class without importing it."""
    module = sys.modules.get("torch.distributed.tensor")
    return module is not None and isinstance(tensor, module.DTensor)


def has_memory(tensor: Tensor) -> bool:
    """Whether the values of a tensor are there: the whole weights of a sharded model are freed
    after each layer, and what autograd has of them must not be read."""
    if type(tensor) not in (Tensor, nn.Parameter) or tensor.layout is not torch.strided:
        return True
    return tensor.is_meta or not tensor.numel() or tensor.untyped_storage().size() > 0


def _stored(tensor: Tensor) -> Values:
    # An uncoalesced gradient holds one row per use of an embedding: their sum is the gradient.
    stored = tensor.coalesce().values() if tensor.layout is torch.sparse_coo else tensor.values()
    flat = _real(stored).reshape(-1)
    return Values(flat, tensor.numel() * (2 if tensor.is_complex() else 1) - flat.numel())


def _real(tensor: Tensor) -> Tensor:
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def first_tensor(value: Any) -> Tensor | None:
    """The first floating tensor, else the first tensor, in a nest of tuples, lists and mappings."""
    if isinstance(value, Tensor):
        return value
    found = all_tensors(value)
    floating = (one for one in found if one.is_floating_point() or one.is_complex())
    return next(floating, found[0] if found else None)


def all_tensors(value: Any, depth: int = 3) -> list[Tensor]:
    """Every tensor in a nest of tuples, lists and mappings."""
    if isinstance(value, Tensor):
        return [value]
    items = value.values() if isinstance(value, Mapping) else value
    if not depth or not isinstance(value, Mapping | tuple | list):
        return []
    return [tensor for item in items for tensor in all_tensors(item, depth - 1)]
