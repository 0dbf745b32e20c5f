"""`paramedic run`: from a program and settings to what came of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from paramedic.run.crier import Crier, logging_aside
from paramedic.run.imports import AfterImport
from paramedic.run.program import Ending, Program, check, execute
from paramedic.run.settings import Settings

if TYPE_CHECKING:
    from paramedic.run.outcome import Outcome, Record
    from paramedic.run.watcher import Watcher


def watched(program: Program, settings: Settings, crier: Crier) -> tuple[Outcome, Ending]:
    """Run a program under watch; what was found, and how the program ended."""
    check(program)
    watchers: list[Watcher] = []
    waiting = AfterImport("torch", lambda: watchers.extend(_watchers(settings, crier)))
    with logging_aside(crier):
        waiting.install()
        try:
            ending = execute(program)
        finally:
            waiting.remove()
            records = [record for watcher in watchers for record in watcher.close()]
    return _outcome(program, records, ending, imported=bool(watchers)), ending


def _watchers(settings: Settings, crier: Crier) -> list[Watcher]:
    """One, at work; none if Paramedic is switched off."""
    from paramedic.probe.attach import is_off
    from paramedic.run.watcher import Watcher

    if is_off():
        return []
    watcher = Watcher(settings, crier.finding)
    watcher.open()
    return [watcher]


def _outcome(program: Program, records: list[Record], ending: Ending, *, imported: bool) -> Outcome:
    from paramedic.run.outcome import Outcome, gravest_first

    if not imported:
        off = "Paramedic is switched off by the environment variable PARAMEDIC"
        why = off if "torch" in sys.modules else "the program did not import torch"
    elif not records:
        why = "no optimizer took a step in this process"
    else:
        why = "no step was looked at"
    return Outcome(program.name, gravest_first(records), stopped=ending.stopped, why_unjudged=why)
