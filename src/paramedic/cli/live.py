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
        typer.Option(help="Answer other machines, too, at this address."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(help="Note every request in this file, of 1 MB at most.", dir_okay=False),
    ] = None,
) -> None:
    """Show runs in the browser while they go on. Ctrl-C ends it."""
    for module in ("starlette", "uvicorn"):
        require(module, extra="live", needed_by="paramedic live")
    from paramedic.report.live.keyboard import has_terminal
    from paramedic.report.live.serving import make, serve

    server, bound, url = make(runs, host=host, port=port, log=log)
    typer.echo(f"The live page is at {url}")
    typer.echo(f"This URL opens one browser, once; {_another(has_terminal())}.")
    if host is not None:
        typer.echo("Whoever opens it first sees the runs. The connection is not encrypted.")
    typer.echo("Ctrl-C ends it; the runs go on.")
    server.tell = lambda fresh: typer.echo(f"For another browser: {fresh}")
    serve(server, bound)


def _another(has_terminal: bool) -> str:
    return "Enter prints another" if has_terminal else "a new start prints another"
