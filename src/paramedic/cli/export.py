"""`paramedic export`: a trace for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paramedic.cli.failing import fails_clearly


@fails_clearly
def export(
    run: Annotated[Path, typer.Argument(help="A trace, as `watch(trace=…)` wrote it.")],
    output: Annotated[Path, typer.Argument(help="A file ending in .parquet, .arrow or .feather.")],
) -> None:
    """Write a trace as Arrow or Parquet tables."""
    from paramedic.trace import Trace, export

    with Trace.open(run) as trace:
        export(trace, output)
    typer.echo(f"Wrote {output}")
