"""Silence while plans are tried: what is found in each of them is told by the heal itself."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from paramedic.probe.isolation import logger


@contextlib.contextmanager
def quiet_monitors() -> Iterator[None]:
    """What each monitor finds is told by the heal itself; errors of ours are not kept back."""

    def passes(record: logging.LogRecord) -> bool:
        return "switched off" in record.msg or record.levelno >= logging.ERROR

    logger.addFilter(passes)
    try:
        yield
    finally:
        logger.removeFilter(passes)
