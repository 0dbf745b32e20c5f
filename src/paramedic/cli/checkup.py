"""`paramedic checkup`: examine a model before it is trained."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paramedic.cli.choosing import Json, split, write_json
from paramedic.cli.failing import fails_clearly
from paramedic.cli.loading import module_of

if TYPE_CHECKING:
    from paramedic.checkup.report import Report

PASSED, FAILED, NOT_JUDGED = 0, 1, 2
_WIDEST = 100  # longer lines are hard to read
_PLACES = ("model", "batch", "loss_fn", "optimizer")
_EXAMPLE = "paramedic checkup train.py:make_checkup"


@fails_clearly
def checkup(
    where: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:FUNCTION",
            help="A function without arguments that returns (model, batch[, loss_fn[, "
            "optimizer]]), or a dict of what `paramedic.checkup` takes; train.py:function works "
            "too.",
        ),
    ],
    select: Annotated[
        list[str] | None, typer.Option(help="Only these checks, by code or name.", metavar="A,B")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Not these.", metavar="A,B")] = None,
    json: Json = None,
) -> None:
    """Examine a model before training. Exit code 0: passed, 1: failed, 2: could not judge."""
    from paramedic.optional import require

    require("torch", extra="torch", needed_by="paramedic checkup")
    report = _examined(_given(where), split(select), split(ignore))
    if json is None or not write_json(report.to_json(), json):
        _show(report)
    if not report.judged:
        raise typer.Exit(NOT_JUDGED)
    raise typer.Exit(PASSED if report.ok else FAILED)


def _examined(given: dict[str, Any], select: tuple[str, ...], ignore: tuple[str, ...]) -> Report:
    import inspect

    from paramedic.checkup.examination import checkup

    chosen = {"select": select} if select else {}
    chosen |= {"ignore": ignore} if ignore else {}
    known = inspect.signature(checkup).parameters
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(
            f"The function returned `{unknown[0]}`, which `paramedic.checkup` does not take; it "
            f"takes {', '.join(known)}."
        )
    missing = [name for name in _PLACES[:2] if name not in given]
    if missing:
        raise ValueError(f"The function returned no `{missing[0]}`.")
    try:
        return checkup(**{**given, **chosen})
    except TypeError as error:
        raise ValueError(str(error)) from error


def _given(where: str) -> dict[str, Any]:
    """What the named function returns, by the names that `checkup` knows."""
    place, _, name = where.rpartition(":")
    if not place or not name:
        raise ValueError(f"`{where}` must be MODULE:FUNCTION, as in `{_EXAMPLE}`.")
    function = getattr(module_of(place), name, None)
    if not callable(function):
        raise ValueError(f"`{place}` has no function `{name}`.")
    try:
        found = function()
    except Exception as error:  # the user's code may raise anything
        raise ValueError(f"`{where}` raised {type(error).__name__}: {error}") from error
    if isinstance(found, Mapping):
        return dict(found)
    if isinstance(found, tuple | list) and 2 <= len(found) <= len(_PLACES):
        return dict(zip(_PLACES, found, strict=False))
    raise ValueError(
        f"`{where}` must return (model, batch[, loss_fn[, optimizer]]) or a dict but returned "
        f"{type(found).__name__}."
    )


def _show(report: Report) -> None:
    from rich.console import Console
    from rich.text import Text

    width = min(shutil.get_terminal_size().columns, _WIDEST)
    text = Text(report.table(width))
    text.highlight_regex(r"(?m)^failed\b", "bold red")
    text.highlight_regex(r"(?m)^passed\b", "green")
    text.highlight_regex(r"(?m)^skipped\b", "dim")
    Console(highlight=False, width=width).print(text, soft_wrap=True)
