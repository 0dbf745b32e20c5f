"""Accuracies on data that were held out, in what a program prints: most scripts log nothing else.

Only the plain text and numbers among the arguments of `print` are read, after they were printed;
nothing of the program's is turned into text for it.
"""

from __future__ import annotations

import builtins
import re
from typing import Any

from paramedic.probe.compiler import never_traced
from paramedic.probe.guard import Guard, aside
from paramedic.run.logged import OnLogged
from paramedic.run.patching import Function, Patches

SOURCE, NAME = "print", "val_acc"
_LONGEST = 400  # characters of a line that is read
_HELD_OUT = r"(?:val|valid|validation|test|testing|dev|eval|evaluation|held[- ]?out)"
_VALUE = r"\W{0,4}(?P<value>\d+(?:\.\d+)?)(?:\s*/\s*(?P<whole>\d+))?\s*(?P<percent>%)?"
_ACCURACY = r"acc(?:uracy)?\b(?:\s*\(%\))?"
# `val_acc 0.9`, `Test set accuracy: 90.1%`: the name itself says that the data are held out …
_NAMED = re.compile(rf"(?<![a-z]){_HELD_OUT}[\s_/.-]*(?:set)?[\s_/.-]*{_ACCURACY}{_VALUE}", re.I)
# … or what follows it: `Accuracy of the network on the 10000 test images: 55 %` …
_EXPLAINED = re.compile(
    rf"(?<![a-z]){_ACCURACY}[^:=]{{0,60}}(?<![a-z]){_HELD_OUT}[^:=]{{0,30}}[:=]{_VALUE}", re.I
)
# … or nothing else in the line is: `Test set: average loss 0.3, accuracy: 90/100 (90%)`.
_PLAIN = re.compile(rf"(?<![a-z_]){_ACCURACY}{_VALUE}", re.I)
_ABOUT_OTHERS = re.compile(r"(?<![a-z])train", re.I)
_ABOUT_HELD_OUT = re.compile(rf"(?<![a-z]){_HELD_OUT}(?![a-z])", re.I)


class Printed:
    """Reads what the program prints; `on_logged` is told of accuracies."""

    def __init__(self, guard: Guard, on_logged: OnLogged) -> None:
        self.guard = guard
        self._on_logged = on_logged
        self._patches = Patches()

    def open(self) -> None:
        """Start to read."""
        self._patches.wrap(builtins, "print", self._printer)

    def close(self) -> None:
        """Read no more."""
        self._patches.remove()

    def _printer(self, original: Function) -> Function:
        @never_traced
        def print(*values: Any, **options: Any) -> None:
            original(*values, **options)
            self._note(values, options)

        return print

    @aside("metrics")
    def _note(self, values: tuple[Any, ...], options: dict[str, Any]) -> None:
        if "file" in options:
            return
        plain = [str(one) for one in values if type(one) in (str, int, float)]
        line = " ".join(plain)
        if len(line) <= _LONGEST and "acc" in line.lower():
            accuracy = accuracy_in(line)
            if accuracy is not None:
                self._on_logged(SOURCE, {NAME: accuracy})


def accuracy_in(line: str) -> float | None:
    """The accuracy on held-out data that a line tells; None if it tells none, or several, or if
    its unit cannot be told."""
    found = list(_NAMED.finditer(line)) or list(_EXPLAINED.finditer(line))
    if not found and _ABOUT_HELD_OUT.search(line) and not _ABOUT_OTHERS.search(line):
        found = list(_PLAIN.finditer(line))
    return _fraction(found[0]) if len(found) == 1 else None


def _fraction(found: re.Match[str]) -> float | None:
    value, whole = float(found["value"]), found["whole"]
    if whole is not None:
        return value / float(whole) if value <= float(whole) != 0 else None
    if found["percent"] or value > 1:
        return value / 100 if value <= 100 else None
    return None if found["value"] == "1" else value  # one percent, or all of them
