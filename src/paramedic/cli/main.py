"""The command line: `paramedic`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from paramedic.cli.checkup import checkup
from paramedic.cli.demo import demo
from paramedic.cli.explain import explain
from paramedic.cli.export import export
from paramedic.cli.heal import heal
from paramedic.cli.live import live
from paramedic.cli.replay import replay
from paramedic.cli.report import report
from paramedic.cli.rules import rules
from paramedic.cli.run import PASS_ON, run
from paramedic.cli.simulate import simulate

app = typer.Typer(
    name="paramedic",
    help="A first responder for neural-network training.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None if os.environ.get("NO_COLOR") else "rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(context_settings=PASS_ON)(run)
app.command()(demo)
app.command()(checkup)
app.command()(heal)
app.command()(replay)
app.command()(report)
app.command()(live)
app.command()(simulate)
app.command()(rules)
app.command()(explain)
app.command()(export)


def _print_version(wanted: bool) -> None:
    if wanted:
        from paramedic.version import __version__

        typer.echo(f"paramedic {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Watches PyTorch training and says what is wrong."""
