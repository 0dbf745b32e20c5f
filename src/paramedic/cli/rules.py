"""`paramedic rules`: all detectors of a rule set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from paramedic.cli.choosing import Json, Rules, write_json
from paramedic.cli.failing import fails_clearly

_WORDS = 40  # columns that a sentence wants beside the code and the name

if TYPE_CHECKING:
    from rich.console import RenderableType

    from paramedic.diagnose.manual import Page


@fails_clearly
def rules(rules: Rules = None, json: Json = None) -> None:
    """List the detectors: code, name, what each looks for and what it needs."""
    from rich.console import Console, Group

    from paramedic.diagnose.manual import page_of
    from paramedic.diagnose.rules import DEFAULT, rule_sets
    from paramedic.diagnose.rules import rules as detectors_of

    name = rules or DEFAULT
    pages = [page_of(kind) for kind in detectors_of(name)]
    if json is not None and write_json([_as_json(page) for page in pages], json):
        return
    console = Console(highlight=False)
    console.print(Group(*_tables(pages, console.width)))
    others = ", ".join(one for one in rule_sets() if one != name)
    typer.echo(f"\n{len(pages)} detectors of the rule set {name}; other rule sets: {others}.")
    typer.echo("`paramedic explain CODE` tells more about one.")


def _tables(pages: list[Page], columns: int) -> Iterator[RenderableType]:
    """A heading and a table per family; in a narrow terminal the name stands above the words."""
    from rich.table import Table
    from rich.text import Text

    width = max((len(page.slug) for page in pages), default=0)
    stacked = columns < width + _WORDS
    for family in dict.fromkeys(page.family for page in pages):
        yield Text(f"\n{family[:1].upper()}{family[1:]}", "bold")
        table = Table.grid(padding=(0, 2, 0, 0))
        for least in (0, 0) if stacked else (0, width, 0):
            table.add_column(min_width=least)
        for page in pages:
            if page.family == family:
                needs = f"\nNeeds {', '.join(page.needs)}." if page.needs else ""
                words = Text(page.summary).append(needs, "dim")
                name = Text(page.slug, "bold" if stacked else "")
                cells = [name.append("\n").append(words)] if stacked else [name, words]
                table.add_row(Text(page.code), *cells)
        yield table


def _as_json(page: Page) -> dict[str, object]:
    return {
        "code": page.code,
        "slug": page.slug,
        "family": page.family,
        "rules": page.rule_set,
        "summary": page.summary,
        "needs": list(page.needs),
        "explains": list(page.explains),
        "excludes": list(page.excludes),
        "thresholds": {
            one.name: {"default": one.default, "meaning": one.meaning, "source": one.source}
            for one in page.thresholds
        },
    }
