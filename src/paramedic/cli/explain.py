"""`paramedic explain`: the manual page of a detector."""

from __future__ import annotations

import shutil
from typing import Annotated

import typer

from paramedic.cli.failing import fails_clearly

_WIDEST = 100  # longer lines are hard to read


@fails_clearly
def explain(
    name: Annotated[str, typer.Argument(metavar="CODE", help="A code (G001) or a name.")],
) -> None:
    """Print the manual page of a detector, of any rule set."""
    from paramedic.diagnose.manual import page_of
    from paramedic.diagnose.rates import rates_of
    from paramedic.diagnose.rules import find
    from paramedic.report.rendering import as_text

    page = page_of(find(name))
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    typer.echo(as_text(page, width, rates_of(page.code, page.slug)), nl=False)
