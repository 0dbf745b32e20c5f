"""`paramedic replay`: judge recorded runs again, under any rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paramedic.cli.choosing import Ignore, Json, NoConfig, Rules, Select, Set, split, write_json
from paramedic.cli.failing import fails_clearly

if TYPE_CHECKING:
    from paramedic.diagnose.config import Config
    from paramedic.diagnose.replay import Replay

UNREADABLE = 2  # the exit code of traces that could not be read


@fails_clearly
def replay(  # noqa: PLR0913 - these are the options of a command
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Traces, or directories with traces.")
    ],
    rules: Rules = None,
    select: Select = None,
    ignore: Ignore = None,
    settings: Set = None,
    json: Json = None,
    no_config: NoConfig = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say everything.")] = False,
) -> None:
    """Judge recorded runs.

    Exit code 0: learning, 1: not learning, diverged or a fault, 2: too early to say or cannot tell.
    """
    from paramedic.diagnose.config import Config, load, parse_settings

    found = Config() if no_config else load()
    config = found.merged(
        rules=rules,
        select=split(select),
        ignore=split(ignore),
        thresholds=parse_settings(settings or ()),
    )
    detectors = len(config.choose())
    verdicts, failures = _judged(_traces(runs), config)
    quiet = json is not None and write_json(_as_json(verdicts, failures), json)
    if not quiet:
        _show(verdicts, detectors, config, verbose=verbose)
    for message in failures.values():
        typer.echo(f"paramedic: {message}", err=True)
    raise typer.Exit(_exit_code(verdicts, failed=bool(failures)))


def _traces(runs: Sequence[Path]) -> Iterator[Path]:
    for run in runs:
        if not run.is_dir():
            yield run
            continue
        inside = sorted(run.glob("*.db"))
        if not inside:
            raise FileNotFoundError(f"There is no trace (*.db) in the directory `{run}`.")
        yield from inside


def _judged(traces: Iterator[Path], config: Config) -> tuple[list[Replay], dict[str, str]]:
    """The verdicts, and what was wrong with the traces that have none."""
    from paramedic.prescribe.replay import replay
    from paramedic.trace import TraceError

    verdicts: list[Replay] = []
    failures: dict[str, str] = {}
    for run in list(traces):
        try:
            verdict = replay(
                run,
                config.rules,
                select=config.select,
                ignore=config.ignore,
                thresholds=config.thresholds,
            )
        except (TraceError, OSError) as error:
            failures[str(run)] = str(error)
        else:
            verdicts.append(verdict)
    return verdicts, failures


def _show(verdicts: Sequence[Replay], detectors: int, config: Config, *, verbose: bool) -> None:
    from rich.console import Console

    from paramedic.report.verdict import summary, told

    console = Console(highlight=False)
    for verdict in verdicts:
        console.print(told(verdict, verbose=verbose))
        console.print()
    if len(verdicts) > 1:
        console.print(summary(verdicts))
        console.print()
    source = f", settings from {config.source}" if config.source else ""
    words = f"Judged by {detectors} detectors of the rule set {config.rules}{source}."
    console.print(words, style="dim", markup=False)


def _as_json(replays: Sequence[Replay], failures: dict[str, str]) -> dict[str, Any]:
    from paramedic.diagnose.document import document

    errors = [{"run": run, "error": message} for run, message in failures.items()]
    name = replays[0].run if len(replays) == 1 else f"{len(replays)} runs"
    code = _exit_code(replays, failed=bool(failures))
    return document(name, [one.report() for one in replays], errors=errors, exit_code=code)


def _exit_code(replays: Sequence[Replay], *, failed: bool) -> int:
    from paramedic.diagnose.document import exit_code

    return UNREADABLE if failed else exit_code([one.conclusion for one in replays])
