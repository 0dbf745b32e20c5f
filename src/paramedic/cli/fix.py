"""`paramedic run --fix`: the patch, on stdout; what was tried, on stderr."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from paramedic.run.crier import Crier
    from paramedic.run.fix.patch import Patch
    from paramedic.run.outcome import Outcome
    from paramedic.run.program import Program


def require_fix(budget: str | None) -> None:
    """Complain before the program runs, not after it."""
    from paramedic.optional import require

    require("libcst", extra="fix", needed_by="paramedic run --fix")
    from paramedic.run.fix.fixing import budget as parsed

    parsed(budget)


def fixed(
    outcome: Outcome,
    program: Program,
    crier: Crier,
    budget: str | None,
    *,
    verify: bool,
    write: bool,
) -> Outcome:
    """Look for a patch, try it, show it and, if asked for, apply it."""
    from paramedic.run.fix import fixing

    found = fixing.fix(outcome, program, fixing.budget(budget), crier.say, verify=verify)
    if found.patch is None:
        crier.say("No patch was verified; what is said above is advice.")
        return outcome
    _show(found.patch, program, crier)
    if not found.verified:
        crier.say("This patch was not tried.")
    if write and found.patch.arguments is None:
        _write(found.patch, crier)
    return fixing.told(outcome, found)


def _write(patch: Patch, crier: Crier) -> None:
    from paramedic.run.fix.writing import Changed, write

    try:
        crier.say(f"Applied; the original is {write(patch)}.")
    except (Changed, OSError) as error:
        crier.say(f"Not applied: {error}")


def _show(patch: Patch, program: Program, crier: Crier) -> None:
    if patch.arguments is not None:
        crier.say("The value is given on the command line. Use:")
        typer.echo(shlex.join([program.target, *patch.arguments]))
    else:
        typer.echo(patch.diff(), nl=False)
    sys.stdout.flush()
