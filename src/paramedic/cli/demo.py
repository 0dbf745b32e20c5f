"""`paramedic demo`: one of the sick examples, run, explained, patched and tried."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from paramedic.cli.failing import fails_clearly
from paramedic.cli.run import run

EXAMPLE = "deep_sigmoid.py"
# In an installed package beside this file (`pyproject.toml` puts it there), else in the sources.
_HOMES = (
    Path(__file__).parent / EXAMPLE,
    Path(__file__).parents[3] / "examples" / "sick" / EXAMPLE,
)
_ABOUT = "A script that trains ten layers of sigmoids on two rings of points and does not learn."


@fails_clearly
def demo(
    out: Annotated[Path, typer.Option(help="Where to put the script and what comes of it.")] = Path(
        "demo-out"
    ),
) -> None:
    """Run a script that does not learn: find out why, make a patch, and try it."""
    from rich.console import Console

    from paramedic.optional import require
    from paramedic.report.terminal import measured
    from paramedic.trace import Trace, fresh_path

    require("torch", extra="torch", needed_by="paramedic demo")
    _copy(out)
    trace, report = fresh_path(out / "run.db"), fresh_path(out / "report.json")
    page = report.with_suffix(".html")
    trace.unlink()  # the name was free; the run makes the file
    console = Console(stderr=True)
    console.print(
        f"{_ABOUT}\n[bold]$ cd {out}; paramedic run --fix {EXAMPLE}[/bold]", soft_wrap=True
    )
    with contextlib.chdir(out):  # a patch is tried in a copy of the working directory
        _run(EXAMPLE, trace.name, report.name, page.name)
    with Trace.open(trace) as found:
        console.print(measured(found))
    console.print(
        f"Open {page} to see it; the same for programs is in {report}, the record in {trace}. "
        "To apply the patch, add --write.",
        soft_wrap=True,
    )


def _copy(out: Path) -> None:
    """The example as a script of the user's; one that is there already may have been changed."""
    source = next(path for path in _HOMES if path.exists())
    text = source.read_bytes()
    script = out / EXAMPLE
    if script.exists() and script.read_bytes() != text:
        raise ValueError(f"`{script}` is there already and was changed; give another --out.")
    out.mkdir(parents=True, exist_ok=True)
    script.write_bytes(text)


def _run(script: str, trace: str, report: str, page: str) -> None:
    """As the command does; its exit code says that the script is sick, which is no failure."""
    try:
        run(script, fix=True, trace=Path(trace), json=report, html=Path(page))
    except typer.Exit as leaving:
        if leaving.exit_code not in (0, 1):
            raise
