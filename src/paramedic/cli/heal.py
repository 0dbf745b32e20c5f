"""`paramedic heal`: train a plan, repair what is wrong, and show the proof."""

from __future__ import annotations

import math
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paramedic.cli.choosing import Json, write_json
from paramedic.cli.failing import fails_clearly
from paramedic.cli.loading import module_of

if TYPE_CHECKING:
    from rich.console import Console

    from paramedic.treat.heal.options import Options
    from paramedic.treat.heal.outcome import Outcome
    from paramedic.treat.heal.progress import Listener, Progress
    from paramedic.treat.plan import Plan

REPAIRED, FAILED = 0, 1
_EVERY = 2.0  # seconds between two plain lines


@fails_clearly
def heal(
    file: Annotated[
        Path, typer.Argument(metavar="PLAN.PY", help="A file with a function `plan()`.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="A folder for checkpoints, traces and the repaired plan; the same folder again "
            "goes on where it was interrupted. By default PLAN-heal."
        ),
    ] = None,
    strategy: Annotated[str, typer.Option(help="race or sequential.")] = "race",
    workers: Annotated[int, typer.Option(help="Processes for the stretches of a race.")] = 1,
    ray: Annotated[bool, typer.Option("--ray", help="Send them to a Ray cluster.")] = False,
    json: Json = None,
) -> None:
    """Train a plan and repair it. Exit code 0: healthy or healed, 1: failed, 2: cannot be tried."""
    from rich.console import Console

    from paramedic.optional import require
    from paramedic.treat.heal.options import Options

    # Before torch is loaded: threads that wait busily make a small model many times slower where
    # the cores are shared.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    require("torch", extra="torch", needed_by="paramedic heal")
    require("safetensors", extra="heal", needed_by="paramedic heal")
    console = Console(stderr=json == "-", highlight=False)
    plan = _plan(file)
    folder = out or _own_folder(file, plan)
    if ray:
        _carry(file)
    options = Options(strategy=strategy, workers=workers, ray=ray)
    outcome = _healed(plan, folder, options, console)
    if json is not None:
        write_json(outcome.to_json(), json)
    _show(outcome, folder, console)
    raise typer.Exit(FAILED if outcome.status == "failed" else REPAIRED)


def _plan(file: Path) -> Plan:
    from paramedic.treat.plan import Plan

    if file.suffix != ".py":
        raise ValueError(f"`{file}` must be a Python file with a function `plan()`.")
    function = getattr(module_of(str(file)), "plan", None)
    if not callable(function):
        raise ValueError(f"`{file}` has no function `plan()`; write one that returns a Plan.")
    try:
        made = function()
    except ValueError:
        raise
    except Exception as error:  # the user's code may raise anything
        raise ValueError(f"`plan()` raised {type(error).__name__}: {error}") from error
    if not isinstance(made, Plan):
        raise ValueError(f"`plan()` must return a paramedic.Plan but gave {type(made).__name__}.")
    return made


def _carry(file: Path) -> None:
    """What the file of the plan defines is not installed on a cluster: it is sent along."""
    from paramedic.treat.heal.cluster import carry

    carry(sys.modules[file.stem])


def _own_folder(file: Path, plan: Plan) -> Path:
    """Where a heal of this very plan was begun, or a folder that is free."""
    import json

    from paramedic.treat.heal.session import fingerprint

    mine, number = fingerprint(plan), 1
    while True:
        folder = Path(f"{file.stem}-heal" + (f"-{number}" if number > 1 else ""))
        claim = folder / "heal.json"
        if not claim.is_file() or json.loads(claim.read_text()).get("plan") == mine:
            return folder
        number += 1


def _healed(plan: Plan, folder: Path, options: Options, console: Console) -> Outcome:
    from paramedic.treat.heal.healing import heal

    listener, display = _display(console)
    with display:
        return heal(plan, out=folder, progress=listener, options=options)


def _display(console: Console) -> tuple[Listener, AbstractContextManager[object]]:
    """One line that changes on a terminal, now and then a new line elsewhere."""
    if not console.is_terminal:
        return _plain_lines(console), nullcontext()
    status = console.status("")

    def tell(progress: Progress) -> None:
        if progress.news:
            console.print(progress.news, markup=False)
        else:
            status.update(line(progress))

    return tell, status


def _plain_lines(console: Console) -> Listener:
    told = -math.inf

    def tell(progress: Progress) -> None:
        nonlocal told
        if progress.news:
            console.print(progress.news, markup=False, soft_wrap=True)
        elif progress.seconds - told >= _EVERY:
            told = progress.seconds
            console.print(line(progress), markup=False, soft_wrap=True)
        sys.stdout.flush()

    return tell


def line(progress: Progress) -> str:
    """Where a heal is, in one line."""
    parts = [
        f"attempt {progress.attempt} ({progress.name})",
        f"epoch {progress.epoch:.1f} of {progress.epochs}",
        f"loss {progress.loss:.4g}",
    ]
    if math.isfinite(progress.metric):
        parts.append(f"metric {progress.metric:.4g}")
    parts.append(progress.finding or "nothing found")
    if progress.seconds_left is not None:
        parts.append(f"about {math.ceil(progress.seconds_left)} s left")
    return " · ".join(parts)


def _show(outcome: Outcome, folder: Path, console: Console) -> None:
    from rich.table import Table

    console.print(str(outcome), markup=False, soft_wrap=True)
    if len(outcome.attempts) > 1:
        table = Table("attempt", "against", "verdict", outcome.metric, "cost", box=None)
        for one in outcome.attempts:
            metric = f"{one.metric:.4g}" if math.isfinite(one.metric) else "-"
            table.add_row(one.remedy, one.against, one.verdict, metric, f"{one.cost:.2f}")
        console.print(table)
    changes = outcome.diff()
    if changes:
        console.print(changes, markup=False, soft_wrap=True)
    console.print(f"The model, the plan and the history are in {folder}", soft_wrap=True)
