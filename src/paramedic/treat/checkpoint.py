"""The state of a training in one safetensors file: weights, optimizer, random numbers.

Tensors are stored as they are; what is not a tensor (a step count, a setting) is JSON in the
header. Nothing is pickled, so a checkpoint from a stranger is data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from paramedic.optional import require
from paramedic.reading import MOST_JSON, parse_json

_TENSOR = "__tensor__"  # stands in the JSON where a tensor is
_DAMAGE = (LookupError, TypeError, ValueError, RecursionError)
_MAPPING = "__pairs__"  # a mapping whose keys are not all words


def save(path: Path, state: Mapping[str, Any]) -> None:
    """Write a nested state; the file is whole or not there at all."""
    safetensors = require("safetensors.torch", extra="heal", needed_by="a checkpoint")
    tensors: dict[str, Tensor] = {}
    plain = _taken_apart(state, "", tensors)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    safetensors.save_file(tensors, str(partial), metadata={"state": json.dumps(plain)})
    os.replace(partial, path)


def load(path: Path) -> dict[str, Any]:
    """What `save` was given."""
    safetensors = require("safetensors", extra="heal", needed_by="a checkpoint")
    try:
        _check_header(path)
        with safetensors.safe_open(str(path), framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            plain = parse_json((file.metadata() or {})["state"])
            whole = _put_together(plain, tensors)
            if not isinstance(whole, dict):
                raise ValueError("its state is no mapping")
    except (safetensors.SafetensorError, *_DAMAGE) as error:
        raise ValueError(
            f"`{path}` is not a checkpoint of Paramedic ({error}); remove its folder to begin "
            "again."
        ) from error
    return whole


def _check_header(path: Path) -> None:
    """Its size stands in front, and is asked for in one piece."""
    if path.exists() and not path.is_file():  # to open a pipe would last for ever
        raise ValueError("it is not a regular file")
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
    if size > min(MOST_JSON, path.stat().st_size - 8):
        raise ValueError(f"its header claims {size} bytes")


def _taken_apart(value: Any, name: str, tensors: dict[str, Tensor]) -> Any:
    """The value as JSON, its tensors put aside under their path."""
    if isinstance(value, Tensor):
        tensors[name] = value.detach().cpu().clone().contiguous()
        return {_TENSOR: name}
    if isinstance(value, Mapping):
        pairs = [[key, _taken_apart(one, f"{name}/{key}", tensors)] for key, one in value.items()]
        if all(isinstance(key, str) for key in value):
            return dict(pairs)
        return {_MAPPING: pairs}
    if isinstance(value, tuple | list):
        return [_taken_apart(one, f"{name}/{place}", tensors) for place, one in enumerate(value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"A checkpoint cannot hold {type(value).__name__} at `{name}`.")


def _put_together(value: Any, tensors: Mapping[str, Tensor]) -> Any:
    if isinstance(value, list):
        return [_put_together(one, tensors) for one in value]
    if not isinstance(value, dict):
        return value
    if _TENSOR in value:
        return tensors[value[_TENSOR]]
    if _MAPPING in value:
        return {key: _put_together(one, tensors) for key, one in value[_MAPPING]}
    return {key: _put_together(one, tensors) for key, one in value.items()}


def weights_only(model: torch.nn.Module, path: Path) -> None:
    """The weights of a model as a plain safetensors file, for anybody to load."""
    safetensors = require("safetensors.torch", extra="heal", needed_by="saving a model")
    path.parent.mkdir(parents=True, exist_ok=True)
    safetensors.save_model(model, str(path))
