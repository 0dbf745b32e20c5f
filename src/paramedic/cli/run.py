"""`paramedic run`: any unmodified script, watched and explained."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paramedic.cli.choosing import (
    Ignore,
    Select,
    check_file,
    check_json,
    check_page,
    split,
    write_json,
)
from paramedic.cli.failing import fails_clearly, is_clear
from paramedic.cli.fix import fixed, require_fix

if TYPE_CHECKING:
    from rich.console import Console

    from paramedic.report.display import Terminal
    from paramedic.run.crier import Crier
    from paramedic.run.outcome import Outcome
    from paramedic.run.program import Ending
    from paramedic.types import Severity

_PIPE = 200  # columns
# What comes after the script is the script's.
PASS_ON = {"allow_interspersed_args": False, "ignore_unknown_options": False}


@fails_clearly
def run(  # noqa: PLR0913 - these are the options of a command
    target: Annotated[str, typer.Argument(metavar="SCRIPT", help="The program to run.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]…", help="What it is given.")
    ] = None,
    module: Annotated[
        bool, typer.Option("-m", "--module", help="SCRIPT is the name of a module.")
    ] = False,
    json: Annotated[
        str | None, typer.Option("--json", help="Write the report as JSON.", metavar="FILE")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report as a page.", metavar="FILE")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Where to record; by default a folder of yours.")
    ] = None,
    stop_on: Annotated[
        str | None,
        typer.Option(help="End the program at a finding this grave.", metavar="critical|warning"),
    ] = None,
    max_steps: Annotated[
        int | None, typer.Option(help="End the program after so many optimizer steps.", min=1)
    ] = None,
    select: Select = None,
    ignore: Ignore = None,
    live: Annotated[
        bool, typer.Option("--live", help="Show the training on stderr while it goes on.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing; the exit code tells.")
    ] = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Make a patch of the best remedy and try it.")
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="With --fix: apply the patch; SCRIPT.orig is kept.")
    ] = False,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="With --fix: do not try the patch.")
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(help="With --fix: what a try may take, 500 (steps) or 60s.", metavar="N|Ns"),
    ] = None,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 whatever is found.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say everything.")] = False,
) -> None:
    """Run a PyTorch script as it is, watch it, and say what is wrong and what to do.

    The script keeps its arguments, output and exit code. Exit code: the script's own if it
    failed, else 0: learning, 1: not learning, diverged or a fault, 2: too early to say or cannot
    tell. Ctrl-C and SIGTERM end it as they would without us (130 and 143), after the report.
    """
    from paramedic.run.crier import Crier
    from paramedic.run.program import Program
    from paramedic.run.running import watched
    from paramedic.run.settings import Settings

    json, html, trace = check_json(json), html and check_page(html), trace and _check_trace(trace)
    program = Program(target, tuple(arguments or ()), is_module=module)
    settings = Settings(
        split(select), split(ignore), _severity(stop_on), max_steps, trace,
        display=_display if live and not quiet and _is_first() else None,
    )  # fmt: skip
    _check_rules(settings.select, settings.ignore)
    if write and not fix:
        raise ValueError("--write applies what --fix finds: give both.")
    if fix:
        require_fix(budget)
        _check_alone(verify=not no_verify)
    if not _is_first():
        outcome, ending = watched(program, settings, Crier(quiet=True))
        raise typer.Exit(ending.code)
    crier = Crier(quiet=quiet)
    report = _Report(crier, json, html, quiet=quiet, verbose=verbose)
    outcome, ending = watched(program, settings, crier, on_terminated=report.whole)
    ours = 0
    with _back_in(program.folder), _whatever_happens(crier):
        report.show(outcome, ending)
        if fix and outcome.suspect and not ending.interrupted:
            outcome = fixed(outcome, program, crier, budget, verify=not no_verify, write=write)
        report.write(outcome)
        ours = outcome.exit_code
    _leave(0 if exit_zero else ours, ending)


@contextmanager
def _whatever_happens(crier: Crier) -> Iterator[None]:
    """The exit code is that of the program, even if there is no report because of us."""
    try:
        yield
    except Exception as error:
        if is_clear(error):
            raise
        crier.say(f"No report, because of an internal error ({type(error).__name__}: {error}).")


@dataclass(frozen=True, slots=True)
class _Report:
    """On stderr and in files, as the options say."""

    crier: Crier
    json: str | None
    html: Path | None
    quiet: bool
    verbose: bool

    def whole(self, outcome: Outcome, ending: Ending) -> None:
        self.show(outcome, ending)
        self.write(outcome)

    def show(self, outcome: Outcome, ending: Ending) -> None:
        sys.stdout.flush()
        if not self.quiet:
            _show(outcome, ending, verbose=self.verbose)

    def write(self, outcome: Outcome) -> None:
        if self.json is not None:
            write_json(outcome.to_json(), self.json)
        if self.html is not None:
            _write_page(outcome, self.html, self.crier)


def _check_trace(file: Path) -> Path:
    """A file, or a directory that gets a new file for each training."""
    return file.absolute() if file.is_dir() else check_file(file, "a file for the trace")


def _write_page(outcome: Outcome, file: Path, crier: Crier) -> None:
    from paramedic.report.gathering import page_of_program
    from paramedic.report.html import write

    write(page_of_program(outcome), file)
    crier.say(f"The report is {file}")


@contextmanager
def _back_in(folder: str) -> Iterator[None]:
    """Names of files are told as they are seen from where the command was given. What the program
    does at its exit it does in the folder that it has changed to."""
    left = folder
    with suppress(OSError):  # either may be gone
        left = os.getcwd()
        os.chdir(folder)
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(left)


def _is_first() -> bool:
    """Of several processes, as `torchrun` starts them, the first one speaks for all."""
    return os.environ.get("RANK", "0") == "0"


def _display(name: str) -> Terminal:
    """The summary at the end is that of the whole program."""
    from paramedic.report.display import Terminal

    return Terminal(heading=f"training of {name}", summary=False)


def _check_alone(*, verify: bool) -> None:
    """A patch is tried in one process, which would wait for the others for ever."""
    if verify and os.environ.get("WORLD_SIZE", "1") != "1":
        raise ValueError(
            "--fix tries patches in a single process, but this program runs in "
            f"{os.environ['WORLD_SIZE']}: give --no-verify, or run it without the launcher."
        )


def _severity(name: str | None) -> Severity | None:
    if name is None:
        return None
    from paramedic.types import Severity

    if name not in (Severity.WARNING, Severity.CRITICAL):
        raise ValueError(f"--stop-on must be `critical` or `warning` but got `{name}`.")
    return Severity(name)


def _check_rules(select: Sequence[str], ignore: Sequence[str]) -> None:
    """An unknown code is told before the program begins, not in the middle of it. Where nothing
    is chosen nothing is loaded: the program may want to set numpy up before it is imported."""
    if not select and not ignore and not _has_settings():
        return
    from paramedic.diagnose.config import load

    load().choose(select=select, ignore=ignore)


def _has_settings() -> bool:
    """Whether a file of the project may speak of us."""
    try:
        here = Path.cwd()
    except OSError:  # it is gone
        return False
    files = [one / "pyproject.toml" for one in (here, *here.parents)]
    return any(os.path.isfile(one.parent / "paramedic.toml") or _names_us(one) for one in files)


def _names_us(file: Path) -> bool:
    from paramedic.reading import MOST_TOML, Unreadable, read_bytes

    try:
        return b"paramedic" in read_bytes(file, MOST_TOML)
    except (OSError, Unreadable):  # there is none, or it is not ours to read
        return False


def _show(outcome: Outcome, ending: Ending, *, verbose: bool) -> None:
    from paramedic.report.run import told  # before rich, which it imports as we must

    console = _console()
    with console.capture() as caught:
        console.print(told(outcome, ending.stopped, verbose=verbose))
    lines = caught.get().splitlines()
    if sys.stderr.isatty() and not verbose:
        lines = on_one_screen(lines, console.height)
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, width=_width())


def on_one_screen(lines: list[str], height: int) -> list[str]:
    """What matters comes first; of what does not fit, only the last line, with the cost, stays."""
    room = max(height - 2, 5)
    if len(lines) <= room:
        return lines
    return [*lines[: room - 2], "  … (--verbose says everything)", lines[-1]]


def _width() -> int | None:
    """That of the terminal; a file or a pipe is read by something that does not mind long lines."""
    return None if sys.stderr.isatty() else _PIPE


def _leave(ours: int, ending: Ending) -> None:
    """With the code of the program if it failed, else with ours."""
    if ending.interrupted:
        _die_of_interrupt()
    if ending.code:
        raise typer.Exit(ending.code)
    raise typer.Exit(ours)


def _die_of_interrupt() -> None:
    """As the interpreter does after Ctrl-C: whoever called us is to see what ended us."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
