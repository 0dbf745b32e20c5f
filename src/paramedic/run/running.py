"""`paramedic run`: from a program and settings to what came of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

from paramedic.probe.isolation import tell
from paramedic.run.crier import Crier, logging_aside
from paramedic.run.imports import AfterImport
from paramedic.run.program import Ending, Program, check, execute
from paramedic.run.settings import Settings
from paramedic.run.termination import TERMINATED, on_termination

if TYPE_CHECKING:
    from paramedic.run.outcome import Outcome, Record
    from paramedic.run.watcher import Watcher


Result = TypeVar("Result")


def watched(
    program: Program,
    settings: Settings,
    crier: Crier,
    on_terminated: Callable[[Outcome, Ending], None] | None = None,
) -> tuple[Outcome, Ending]:
    """Run a program under watch; what was found, and how the program ended.

    A program that is ended by SIGTERM does not return: `on_terminated` is called in its place.
    """
    check(program)
    watchers: list[Watcher] = []
    waiting = AfterImport("torch", lambda: watchers.extend(_watchers(settings, crier)))

    def closed() -> list[Record]:
        return [record for watcher in watchers for record in watcher.close()]

    def terminated() -> None:
        assert on_terminated is not None
        ending = Ending(code=TERMINATED, stopped="by SIGTERM")
        on_terminated(_outcome(program, closed(), ending, watchers), ending)

    with logging_aside(crier):
        waiting.install()
        try:
            with nullcontext() if on_terminated is None else on_termination(terminated):
                ending = execute(program)
        finally:
            _attempted(settings, waiting.remove)
            records = _attempted(settings, closed) or []
        whole = _attempted(settings, lambda: _outcome(program, records, ending, watchers))
    return whole or _nothing_known(program, ending), ending


def _attempted(settings: Settings, function: Callable[[], Result]) -> Result | None:
    """The program has ended: an error of ours is not to change how."""
    try:
        return function()
    except Exception as error:
        if settings.strict:
            raise
        tell("report", error)
        return None


def _nothing_known(program: Program, ending: Ending) -> Outcome:
    from paramedic.run.outcome import Outcome

    why = "Paramedic itself failed, as was told"
    return Outcome(program.name, stopped=ending.stopped, why_unjudged=why)


def _watchers(settings: Settings, crier: Crier) -> list[Watcher]:
    """One, at work; none if Paramedic is switched off."""
    from paramedic.probe.attach import is_off
    from paramedic.run.watcher import Watcher

    if is_off():
        return []
    watcher = Watcher(settings, crier.finding)
    watcher.open()
    return [watcher]


def _outcome(
    program: Program, records: list[Record], ending: Ending, watchers: list[Watcher]
) -> Outcome:
    from paramedic.run.outcome import Outcome, most_serious_first

    if not watchers:
        why = _why_unwatched()
    elif not records and any(watcher.children_trained for watcher in watchers):
        why = "only child processes trained, and these are not watched"
    elif not records:
        why = "no optimizer took a step in this process"
    else:
        why = ""
    rest = tuple(sentence for watcher in watchers for sentence in watcher.rest)
    ordered = most_serious_first(records)
    return Outcome(
        program.name, ordered, stopped=ending.stopped, why_unjudged=why,
        crashed=_crash(ending) if watchers else "", rest=rest,
    )  # fmt: skip


def _crash(ending: Ending) -> str:
    """What the program died of, if that was an error of its own."""
    return "" if ending.error is None else type(ending.error).__name__


def _why_unwatched() -> str:
    """Why no watcher was at work in the process of the program."""
    if "torch" not in sys.modules:
        return "the program did not import torch"
    from paramedic.probe.attach import is_off

    if is_off():
        return "Paramedic is switched off by the environment variable PARAMEDIC"
    return "torch was imported in a way that could not be followed, so nothing was watched"
