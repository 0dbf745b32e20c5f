"""Manual pages as markdown for the documentation and as text for a terminal."""

from __future__ import annotations

import posixpath
import textwrap
from collections.abc import Iterable, Iterator

from paramedic.diagnose.manual import Page, Threshold
from paramedic.diagnose.rates import NOT_MEASURED, Rates
from paramedic.diagnose.rules import DEFAULT
from paramedic.vocabulary import LAYER_STATISTICS, SCALARS

CATALOGUE = "docs/catalogue"
_NARROWEST = 24  # columns that a meaning needs beside its name; below, it goes under it
_INDENT = 2

# -- markdown ------------------------------------------------------------------------------------


def as_markdown(page: Page, rates: Rates | None = None) -> str:
    """The page for `docs/catalogue`."""
    parts = [f"# {page.title} ({page.code})", _origin(page), page.summary]
    for heading, body in page.sections.items():
        parts += [f"## {heading}", body]
    parts += ["## Thresholds", threshold_table(page.thresholds)]
    parts += ["## What it needs", "\n".join(f"- {word}" for word in _needs(page)) or "Nothing."]
    parts += _relations(page)
    parts += ["## How often it is right", "\n".join(f"- {word}" for word in _measured(rates))]
    if rates is not None and rates.source:
        parts.append(f"Measured as told in [{rates.source}]({link_to(rates.source)}).")
    return "\n\n".join(parts) + "\n"


def threshold_table(thresholds: Iterable[Threshold]) -> str:
    """A markdown table, or a word if there is nothing to set."""
    rows = [
        f"| `{one.name}` | `{one.default!r}` | {cell(one.meaning)} | {cell(one.source)} |"
        for one in thresholds
    ]
    if not rows:
        return "None."
    return "\n".join(["| name | default | meaning | source |", "|---|---|---|---|", *rows])


def cell(text: str) -> str:
    """Text that does not end its column."""
    return " ".join(text.split()).replace("|", "\\|")


def link_to(path: str) -> str:
    """A path of the repository as seen from the catalogue."""
    return posixpath.relpath(path, CATALOGUE)


def _origin(page: Page) -> str:
    name = "set it by" if page.thresholds else "name it by"
    rules = "" if page.rule_set == DEFAULT else f" · rule set `{page.rule_set}`"
    return f"{page.family} · {name} `{page.code}` or `{page.slug}`{rules}"


def _relations(page: Page) -> Iterator[str]:
    for heading, slugs in (("It brings about", page.explains), ("It rules out", page.excludes)):
        if slugs:
            links = page.rule_set == DEFAULT
            yield f"## {heading}"
            yield ", ".join(f"[{one}]({one}.md)" if links else f"`{one}`" for one in slugs)


# -- text ----------------------------------------------------------------------------------------


def as_text(page: Page, width: int = 80, rates: Rates | None = None) -> str:
    """The page for a terminal that is `width` columns wide."""
    width = max(width, 20)
    title = f"{page.code} {page.slug} ({page.family})"
    lines = [title, "", *_wrapped(page.summary, width, 0)]
    for heading, body in page.sections.items():
        lines += ["", heading, *_tidy(_body(body, width))]
    lines += ["", "Thresholds", *_threshold_lines(page.thresholds, width)]
    lines += ["", "What it needs", *_items(_needs(page) or ["nothing"], width)]
    for heading, slugs in (("It brings about", page.explains), ("It rules out", page.excludes)):
        if slugs:
            lines += ["", heading, *_wrapped(", ".join(slugs), width, _INDENT)]
    lines += ["", "How often it is right", *_items(_measured(rates), width)]
    return "\n".join(lines) + "\n"


def _body(text: str, width: int) -> Iterator[str]:
    """Paragraphs and list items wrapped, code kept as it is."""
    waiting: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        fence = line.lstrip().startswith("```")
        item = line.lstrip().startswith(("- ", "* "))
        if waiting and not fenced and (fence or item or not line.strip()):
            yield from _paragraph(waiting, width)
            waiting = []
        if fence:
            fenced = not fenced
            yield ""
        elif fenced:
            yield f"{'':{2 * _INDENT}}{line}".rstrip()
        elif line.strip():
            waiting.append(line)
        else:
            yield ""


def _tidy(lines: Iterable[str]) -> Iterator[str]:
    """No empty line at either end, and never two of them."""
    empty = False
    told = False
    for line in lines:
        if line and empty and told:
            yield ""
        if line:
            yield line
            told = True
        empty = not line


def _paragraph(lines: list[str], width: int) -> list[str]:
    text = " ".join(line.strip() for line in lines)
    hanging = 2 if text.startswith(("- ", "* ")) else 0
    return _wrapped(text, width, _INDENT, hanging)


def _items(words: Iterable[str], width: int) -> Iterator[str]:
    for word in words:
        yield from _wrapped(f"- {word}", width, _INDENT, 2)


def _wrapped(text: str, width: int, indent: int, hanging: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _threshold_lines(thresholds: tuple[Threshold, ...], width: int) -> Iterator[str]:
    if not thresholds:
        yield f"{'':{_INDENT}}none"
    heads = [f"{'':{_INDENT}}{one.name} = {one.default!r}" for one in thresholds]
    column = max(map(len, heads), default=0) + 2
    for head, one in zip(heads, thresholds, strict=True):
        text = f"{one.meaning} [{one.source}]" if one.source else one.meaning
        if width - column < _NARROWEST:
            yield head
            yield from _wrapped(text, width, 3 * _INDENT)
            continue
        first, *rest = _wrapped(text, width, column) or [""]
        yield f"{head:<{column}}{first.lstrip()}".rstrip()
        yield from rest


# -- both ----------------------------------------------------------------------------------------


def _needs(page: Page) -> list[str]:
    return [f"`{name}`{_meaning(name)}" for name in page.needs]


def _meaning(name: str) -> str:
    known = LAYER_STATISTICS.get(name) or SCALARS.get(name)
    return f": {known.meaning}" if known else ""


def _measured(rates: Rates | None) -> list[str]:
    if rates is None:
        return [NOT_MEASURED]
    return [
        f"sick runs found: {rates.recall}",
        f"given the right name: {rates.right_name}",
        f"false alarms on healthy runs: {rates.false_alarm_rate}",
        f"median delay: {rates.delay}",
    ]
