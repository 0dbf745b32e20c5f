"""Errors of a command: one clear sentence and exit code 2, no traceback."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def fails_clearly(command: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Turn what a user can put right into a message on stderr."""

    @functools.wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return command(*args, **kwargs)
        except Exception as error:
            if not is_clear(error):
                raise
            typer.echo(f"paramedic: {error}", err=True)
            raise typer.Exit(2) from error

    return run


def is_clear(error: Exception) -> bool:
    """Whether its message is meant for the user."""
    from paramedic.trace import TraceError

    return isinstance(error, TraceError | ImportError | OSError | ValueError)
