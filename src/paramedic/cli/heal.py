"""`paramedic heal`: train a plan, repair what is wrong, and show the proof."""

from __future__ import annotations

import math
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from paramedic.cli.choosing import Json, check_json, check_page, write_json
from paramedic.cli.failing import fails_clearly
from paramedic.cli.loading import module_of

if TYPE_CHECKING:
    from rich.console import Console

    from paramedic.report.display import Terminal
    from paramedic.treat.heal.options import Options
    from paramedic.treat.heal.outcome import Outcome
    from paramedic.treat.heal.progress import Listener, Progress
    from paramedic.treat.plan import Plan

REPAIRED, FAILED = 0, 1
_EVERY = 2.0  # seconds between two plain lines
_SUMMARY = 16  # lines of a screen that the rest of the summary may take


@fails_clearly
def heal(  # noqa: PLR0913 - each is an option of the command
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
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the history as a page.", metavar="FILE")
    ] = None,
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
    json, html = check_json(json), html and check_page(html)
    plan = _plan(file)
    folder = out or _own_folder(file, plan)
    if ray:
        _carry(file)
    options = Options(strategy=strategy, workers=workers, ray=ray)
    outcome = _healed(plan, folder, options, console)
    if json is not None:
        write_json(_report(file, outcome), json)
    _show(outcome, folder, console)
    if html is not None:
        _write_page(outcome, folder, html, console)
    raise typer.Exit(_exit_code(outcome))


def _exit_code(outcome: Outcome) -> int:
    return FAILED if outcome.status == "failed" else REPAIRED


def _report(file: Path, outcome: Outcome) -> dict[str, Any]:
    """The report `paramedic/report@2` of the training whose model was kept, and the heal."""
    from paramedic.diagnose.document import document
    from paramedic.diagnose.verdict import Assessment
    from paramedic.prescribe.replay import replay
    from paramedic.trace import TraceError
    from paramedic.types import Verdict

    trace = outcome.attempts[outcome.chosen].trace
    kept, why = [], "the training of the model that was kept was not recorded"
    if trace is not None:
        try:
            kept = [replay(trace).report()]
        except (TraceError, OSError) as error:
            why = str(error)
    heal, code = outcome.to_json(), _exit_code(outcome)
    unjudged = Assessment(Verdict.CANNOT_TELL, why)
    return document(str(file), kept, unjudged=unjudged, heal=heal, exit_code=code)


def _write_page(outcome: Outcome, folder: Path, file: Path, console: Console) -> None:
    from paramedic.report.gathering import page_of_heal
    from paramedic.report.html import write

    write(page_of_heal(outcome.to_json(), folder), file)
    console.print(f"The report is {file}", markup=False, soft_wrap=True)


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
    from paramedic.reading import read_object
    from paramedic.treat.heal.session import fingerprint

    mine, number = fingerprint(plan), 1
    while True:
        folder = Path(f"{file.stem}-heal" + (f"-{number}" if number > 1 else ""))
        claim = folder / "heal.json"
        if not claim.is_file() or read_object(claim).get("plan") == mine:
            return folder
        number += 1


def _healed(plan: Plan, folder: Path, options: Options, console: Console) -> Outcome:
    from paramedic.treat.heal.healing import heal

    listener, display = _display(console)
    with display:
        return heal(plan, out=folder, progress=listener, options=options)


def _display(console: Console) -> tuple[Listener, AbstractContextManager[object]]:
    """A panel on a terminal, now and then a new line elsewhere."""
    from paramedic.report.region import is_terminal

    if not is_terminal(sys.stderr):
        return _plain_lines(console), nullcontext()
    picture = _Picture(console)
    return picture.tell, picture


class _Picture:
    """Decisions as lines that stay, and under them a panel of the attempt under way."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._terminal: Terminal | None = None
        self._attempt = -1

    def tell(self, progress: Progress) -> None:
        """Show it."""
        if progress.news:
            self._console.print(progress.news, markup=False, soft_wrap=True)
        if progress.status is not None:
            terminal = self._of(progress.attempt)
            terminal.heading = " · ".join(_where(progress))
            terminal.show(progress.status)

    def _of(self, attempt: int) -> Terminal:
        """Each attempt has its own curve."""
        from paramedic.report.display import Terminal

        if self._terminal is None or attempt != self._attempt:
            self.__exit__()
            self._terminal, self._attempt = Terminal(summary=False), attempt
        return self._terminal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._terminal is not None:
            self._terminal.clear()


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
    parts = [*_where(progress), f"loss {progress.loss:.4g}"]
    if math.isfinite(progress.metric):
        parts.append(f"metric {progress.metric:.4g}")
    parts.append(progress.finding or "nothing found")
    if progress.seconds_left is not None:
        parts.append(f"about {math.ceil(progress.seconds_left)} s left")
    return " · ".join(parts)


def _where(progress: Progress) -> list[str]:
    return [
        f"attempt {progress.attempt} ({progress.name})",
        f"epoch {progress.epoch:.1f} of {progress.epochs}",
    ]


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
    if console.is_terminal and changes.count("\n") > console.height - _SUMMARY:
        console.print(f"What was changed is in {folder / 'plan.diff'}", soft_wrap=True)
    elif changes:
        console.print(changes, markup=False, soft_wrap=True)
    console.print(f"The model, the plan and the history are in {folder}", soft_wrap=True)
