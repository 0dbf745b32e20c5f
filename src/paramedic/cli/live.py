"""`paramedic live`: runs in the browser, while they go on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paramedic.cli.failing import fails_clearly
from paramedic.optional import require


@fails_clearly
def live(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN|DIR…", help="Traces, or directories with traces."),
    ],
    port: Annotated[
        int, typer.Option(help="The port; 0 takes any that is free.", min=0, max=65535)
    ] = 7117,
    host: Annotated[
        str | None,
        typer.Option(help="Answer other machines, too, at this address; they need the token."),
    ] = None,
) -> None:
    """Show runs in the browser while they go on. Ctrl-C ends it."""
    for module in ("starlette", "uvicorn"):
        require(module, extra="live", needed_by="paramedic live")
    from paramedic.report.live.serving import make, serve

    server, bound, url = make(runs, host=host, port=port)
    typer.echo(f"The live page is at {url}")
    if host is not None:
        typer.echo("Whoever has this URL can see the runs. The connection is not encrypted.")
    typer.echo("Ctrl-C ends it; the runs go on.")
    serve(server, bound)
