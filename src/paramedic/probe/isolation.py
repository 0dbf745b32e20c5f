"""Errors of ours are told in one line, and are never the program's.

Imports no torch: it is of use before the program has done so.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from paramedic.vocabulary import INTERNAL

logger = logging.getLogger("paramedic")


def tell(part: str, error: BaseException) -> None:
    """Say once what is switched off, and why; all of the error goes to those who debug us."""
    logger.warning(
        "Paramedic switched off its part `%s` after an internal error (%s: %s); training goes on.",
        part,
        type(error).__name__,
        error,
        extra={INTERNAL: True},
    )
    logger.debug("The internal error:", exc_info=error)


@contextmanager
def isolated(part: str) -> Iterator[None]:
    """An error inside ends what is inside, and nothing else."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the user's run must survive any of ours
        tell(part, error)
