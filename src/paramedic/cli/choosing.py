"""The options by which several commands choose detectors."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

Rules = Annotated[
    str | None,
    typer.Option("--rules", help="The rule set: default, autotrainer, bttackler …", metavar="NAME"),
]
Select = Annotated[
    list[str] | None,
    typer.Option(help="Only these, by code, slug or family: G,loss-plateau.", metavar="A,B"),
]
Ignore = Annotated[list[str] | None, typer.Option(help="Not these.", metavar="A,B")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="A threshold; may be repeated.", metavar="CODE.NAME=VALUE"),
]
NoConfig = Annotated[
    bool, typer.Option("--no-config", help="Do not read pyproject.toml or paramedic.toml.")
]
Json = Annotated[
    str | None,
    typer.Option("--json", help="Write JSON to a file, or to the terminal: -", metavar="FILE"),
]


def split(given: Iterable[str] | None) -> tuple[str, ...]:
    """`["A,B", "C"]` as A, B, C."""
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())


def check_page(file: Path) -> Path:
    """Where a page is to be written; see `check_file`."""
    return check_file(file, "a file for the page, such as page.html")


def check_json(file: str | None) -> str | None:
    """Where a report is to be written, as `write_json` takes it; see `check_file`."""
    if file is None or file == "-":
        return file
    return str(check_file(Path(file), "a file for the report, such as report.json"))


def check_file(file: Path, wanted: str) -> Path:
    """The absolute path of a file that can be written: the program may change its directory.

    Whether that is so is reported before the work, not after it.
    """
    if file.is_dir():
        raise ValueError(f"`{file}` is a directory: name {wanted}.")
    path = file.absolute()
    if not path.parent.is_dir():
        raise ValueError(f"There is no directory `{file.parent}` to write `{file.name}` in.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ValueError(f"`{file}` cannot be written: access is denied.")
    return path


def write_json(value: Any, to: str) -> bool:
    """Write to a file or, for `-`, to stdout; tells whether the terminal is taken by it."""
    text = json.dumps(_strict(value), indent=2, ensure_ascii=False, allow_nan=False)
    if to == "-":
        typer.echo(text)
        return True
    Path(to).write_text(text + "\n", encoding="utf-8")
    return False


def _strict(value: Any) -> Any:
    """JSON has no NaN and no infinity: they become words, which other languages can read."""
    if isinstance(value, dict):
        return {key: _strict(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
