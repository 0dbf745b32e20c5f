"""Writes `docs/catalogue`: a page per detector, one per reference rule set, and an index.

`python -m paramedic.report.catalogue docs/catalogue`, or `make catalogue`.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path

from paramedic.diagnose import reference
from paramedic.diagnose.manual import FAMILIES, Page, page_of
from paramedic.diagnose.rates import NOT_MEASURED, rates_of
from paramedic.diagnose.rules import DEFAULT, rule_sets, rules
from paramedic.report.rendering import as_markdown, cell, threshold_table

INDEX = "README.md"
_NOTE = "<!-- Made by `make catalogue` from the detectors; do not edit. -->\n"


def pages() -> dict[str, str]:
    """Every file of the catalogue: name to text."""
    ours = [page_of(kind) for kind in rules(DEFAULT) if _is_ours(kind)]
    sets = {name: [page_of(kind) for kind in rules(name)] for name in rule_sets()[1:]}
    made = {f"{page.slug}.md": as_markdown(page, rates_of(page.code, page.slug)) for page in ours}
    made |= {_set_file(name): _rule_set(name, found) for name, found in sets.items()}
    made[INDEX] = _index(ours, sets)
    return {name: _NOTE + text for name, text in sorted(made.items())}


def write(folder: Path) -> None:
    """Write all pages, and remove those of detectors that are no more."""
    folder.mkdir(parents=True, exist_ok=True)
    made = pages()
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


def _is_ours(kind: type) -> bool:
    """Detectors of others that happen to be installed have no page here."""
    return kind.__module__.startswith("paramedic.")


def _index(ours: Sequence[Page], sets: dict[str, list[Page]]) -> str:
    parts = [
        "# Catalogue",
        "Every sickness that Paramedic recognises, by family. `paramedic explain CODE` prints the "
        "same pages; `[tool.paramedic.CODE]` in `pyproject.toml` or `--set CODE.name=value` sets "
        "a threshold.",
    ]
    for family in (*FAMILIES.values(), "other"):
        members = [page for page in ours if page.family == family]
        if members:
            parts += [f"## {family.capitalize()}", _family_table(members)]
    parts += ["## Rule sets to compare with", "\n".join(_set_line(*one) for one in sets.items())]
    return "\n\n".join(parts) + "\n"


def _family_table(members: Sequence[Page]) -> str:
    rows = [
        "| code | sickness | what it is | sick runs found | false alarms |",
        "|---|---|---|---|---|",
    ]
    for page in members:
        rates = rates_of(page.code, page.slug)
        found = rates.recall if rates else NOT_MEASURED
        alarms = rates.false_alarm_rate if rates else NOT_MEASURED
        link = f"[{page.slug}]({page.slug}.md)"
        rows.append(f"| {page.code} | {link} | {cell(page.summary)} | {found} | {alarms} |")
    return "\n".join(rows)


def _set_file(name: str) -> str:
    return f"rules-{name}.md"


def _set_line(name: str, members: Sequence[Page]) -> str:
    return f"- [{name}]({_set_file(name)}): {len(members)} rules, `--rules {name}`"


def _rule_set(name: str, members: Sequence[Page]) -> str:
    """One page for all rules of a set: what each looks for and its numbers."""
    module = importlib.import_module(f"{reference.__name__}.{name.replace('-', '_')}")
    parts = [f"# Rule set {name}", inspect.cleandoc(module.__doc__ or "")]
    parts.append(f"To be compared with: `paramedic replay RUN --rules {name}`.")
    for page in members:
        parts += [
            f"## {page.code} {page.slug}",
            page.summary,
            page.sections["What it looks for"],
            threshold_table(page.thresholds),
            f"Measured: {_measured(page)}.",
            page.sections["References"],
        ]
    return "\n\n".join(parts) + "\n"


def _measured(page: Page) -> str:
    rates = rates_of(page.code, page.slug)
    if rates is None:
        return NOT_MEASURED
    return f"{rates.recall} sick runs found, {rates.false_alarm_rate} false alarms"


if __name__ == "__main__":
    write(Path(sys.argv[1]))
