"""From the view-model to plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DIGITS = 5  # of a number: more than a screen has pixels


def plain(value: Any) -> Any:
    """Dictionaries, lists, strings and numbers; what is not finite is None, as JSON has no NaN."""
    own = getattr(value, "to_json", None)
    if own is not None:
        return plain(own())
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _listed(value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return _short(value)
    if isinstance(value, PathLike):
        return fspath(value)
    return value


def _listed(array: NDArray[Any]) -> list[Any]:
    """Quicker than value by value: a page has thousands of them."""
    if array.ndim > 1:
        return [_listed(row) for row in array]
    values: list[Any] = array.tolist()
    return [_short(one) for one in values] if array.dtype.kind == "f" else values


def _short(value: float) -> float | None:
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
