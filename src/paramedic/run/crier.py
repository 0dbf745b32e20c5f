"""Telling findings on stderr while the program runs, without breaking its progress bars."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from paramedic.vocabulary import INTERNAL

if TYPE_CHECKING:  # a program is told of before it imports numpy
    from paramedic.run.places import Place
    from paramedic.types import Finding, Remedy

_CLEAR_LINE = "\r\x1b[K"


class Crier:
    """Writes a few lines per finding; `quiet` writes nothing."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def finding(
        self, finding: Finding, remedy: Remedy | None = None, place: Place | None = None
    ) -> None:
        """Something is certain. A mere note waits for the summary."""
        if finding.severity == "info":
            return
        where = f" ({place})" if place is not None else ""
        lines = [f"step {finding.step}: {finding.slug} ({finding.code}){where}: {finding.message}"]
        if remedy is not None:
            lines.append(f"  try: {remedy.title}")
        self.say(*lines)

    def say(self, *lines: str) -> None:
        """Whole lines, above the progress bar if there is one."""
        if self._quiet:
            return
        with bars_aside():
            begin = _CLEAR_LINE if sys.stderr.isatty() else ""
            text = "\n".join(f"paramedic: {line}" for line in lines)
            sys.stderr.write(f"{begin}{text}\n")
            sys.stderr.flush()


def bars_aside() -> AbstractContextManager[Any]:
    """The progress bars of tqdm, if the program uses it, make room for what is written."""
    tqdm = getattr(sys.modules.get("tqdm"), "tqdm", None)
    aside = getattr(tqdm, "external_write_mode", None)
    return nullcontext() if aside is None else aside(file=sys.stderr)


@contextmanager
def logging_aside(crier: Crier) -> Iterator[None]:
    """What our logger would tell is not for the handlers that the program has set up: findings
    are told by the crier, and of the rest only our own errors matter."""
    logger = logging.getLogger("paramedic")
    handler = _Errors(crier)
    before = logger.propagate
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


class _Errors(logging.Handler):
    def __init__(self, crier: Crier) -> None:
        super().__init__(logging.WARNING)
        self._crier = crier

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info and record.exc_info[1]
        if error:
            self._crier.say(f"{record.getMessage()} ({type(error).__name__}: {error})")
        elif getattr(record, INTERNAL, False):
            self._crier.say(record.getMessage())
