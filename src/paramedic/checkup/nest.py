"""Batches are nests of tuples, lists and mappings: their tensors, and the same nest with others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from torch import Tensor


def flatten(nest: Any) -> list[Tensor]:
    """Every tensor, from left to right."""
    if isinstance(nest, Tensor):
        return [nest]
    if isinstance(nest, Mapping):
        return [tensor for item in nest.values() for tensor in flatten(item)]
    if _is_sequence(nest):
        return [tensor for item in nest for tensor in flatten(item)]
    return []


def rebuild(nest: Any, tensors: Iterable[Tensor]) -> Any:
    """The same nest with other tensors, given in the order of `flatten`."""
    return _rebuilt(nest, iter(tensors))


def _rebuilt(nest: Any, tensors: Iterator[Tensor]) -> Any:
    if isinstance(nest, Tensor):
        return next(tensors)
    if isinstance(nest, Mapping):
        return {key: _rebuilt(item, tensors) for key, item in nest.items()}
    if _is_sequence(nest):
        items = [_rebuilt(item, tensors) for item in nest]
        return type(nest)(*items) if hasattr(nest, "_fields") else type(nest)(items)
    return nest


def _is_sequence(nest: Any) -> bool:
    """Plain tuples and lists, and named tuples; a `PackedSequence` is left as it is."""
    return isinstance(nest, tuple | list) and not type(nest).__module__.startswith("torch.")
