"""`paramedic report`: recorded runs, heals and studies as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paramedic.cli.choosing import Ignore, NoConfig, Rules, Select, Set, check_page, split
from paramedic.cli.failing import fails_clearly

WRITTEN, NOT_ALL = 0, 2


@fails_clearly
def report(  # noqa: PLR0913 - these are the options of a command
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN…", help="Traces, directories with traces, folders of heals or studies."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The page to write.", metavar="FILE")
    ] = Path("report.html"),
    rules: Rules = None,
    select: Select = None,
    ignore: Ignore = None,
    settings: Set = None,
    no_config: NoConfig = False,
) -> None:
    """Write one self-contained HTML page: the verdict, its proof, curves and layers.

    Exit code 0: written, whatever it says; 2: something could not be read.
    """
    from paramedic.diagnose.config import Config, load, parse_settings
    from paramedic.report.gathering import page_of
    from paramedic.report.html import write

    check_page(output)
    found = Config() if no_config else load()
    config = found.merged(
        rules=rules,
        select=split(select),
        ignore=split(ignore),
        thresholds=parse_settings(settings or ()),
    )
    config.choose()
    page = page_of(runs, config)
    for message in page.errors.values():
        typer.echo(f"paramedic: {message}", err=True)
    if page.runs or page.heals or page.studies:
        size = write(page, output)
        typer.echo(f"Wrote {output} ({size / 1000:.0f} kB)")
    raise typer.Exit(NOT_ALL if page.errors else WRITTEN)
