"""JSON from a file to the dataclasses of `paramedic.types`, with every type checked.

The type hints are the schema, so a new field in `types.py` needs no second description here.
Whatever does not fit raises `ValueError`; the caller knows the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, Protocol, Self, TypeVar, get_args, get_origin, get_type_hints

from paramedic.reading import parse_json


class _FromJson(Protocol):
    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self: ...


T = TypeVar("T", bound=_FromJson)


def build(kind: type[T], text: str) -> T:
    """An instance of `kind` from its JSON text."""
    data = parse_json(text)
    try:
        _check(data, kind, kind.__name__)
        return kind.from_json(data)
    except TypeError as error:  # a field without default is missing
        raise ValueError(str(error)) from error
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _check(value: Any, hint: Any, where: str) -> None:
    origin = get_origin(hint)
    if origin is tuple:
        _require(isinstance(value, list), value, "a list", where)
        for index, item in enumerate(value):
            _check(item, get_args(hint)[0], f"{where}[{index}]")
    elif origin is Mapping:
        _require(isinstance(value, dict), value, "an object", where)
        for key, item in value.items():
            _check(item, get_args(hint)[1], f"{where}[{key!r}]")
    elif isinstance(hint, type) and is_dataclass(hint):
        _require(isinstance(value, dict), value, "an object", where)
        for name, field in _hints(hint).items():
            if name in value:
                _check(value[name], field, f"{where}.{name}")
    elif hint is not Any:
        _require(_is(value, hint), value, str(getattr(hint, "__name__", hint)), where)


def _is(value: Any, hint: Any) -> bool:
    if isinstance(hint, UnionType):
        return any(_is(value, option) for option in get_args(hint))
    if isinstance(value, bool):  # in Python a bool is an int; here it is not
        return hint is bool
    if issubclass(hint, StrEnum):
        return value in list(hint)
    return isinstance(value, int | float if hint is float else hint)


def _require(fits: bool, value: Any, wanted: str, where: str) -> None:
    if not fits:
        raise ValueError(f"`{where}` is {repr(value)[:80]}, not {wanted}")


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
