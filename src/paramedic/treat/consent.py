"""Whether an intervention may be made: always, or if somebody says yes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import IntEnum

from paramedic.probe import ranks
from paramedic.probe.isolation import logger
from paramedic.treat.agreement import Agreement
from paramedic.types import Remedy

MODES = ("off", "ask", "auto")


class Answer(IntEnum):
    """What came back."""

    NO = 0
    YES = 1
    NOBODY = 2  # there is nobody to ask


class Consent:
    """With several ranks the first one asks, and the others wait for the answer."""

    def __init__(
        self, mode: str, on_remedy: Callable[[Remedy], bool] | None, agreement: Agreement
    ) -> None:
        self._mode, self._on_remedy, self._agreement = mode, on_remedy, agreement

    def asked(self, remedy: Remedy) -> Answer:
        """The answer to the question whether `remedy` may be applied."""
        if self._mode == "auto":
            return Answer.YES
        mine = self._ask(remedy) if ranks.rank() == 0 else Answer.NOBODY
        return Answer(self._agreement.first(mine))

    def _ask(self, remedy: Remedy) -> Answer:
        if self._on_remedy is not None:
            try:
                return Answer(bool(self._on_remedy(remedy)))
            except Exception as error:  # noqa: BLE001 - no answer of the user's code is a no
                logger.warning("`on_remedy` failed; the answer is no.", exc_info=error)
                return Answer.NO
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            return Answer.NOBODY
        try:
            said = input(f"paramedic: {remedy.title}? [y/N] ")
        except EOFError:
            return Answer.NOBODY
        return Answer(said.strip().lower() in ("y", "yes"))
