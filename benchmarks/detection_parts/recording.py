"""Makes sure that the runs of the zoo are recorded."""

from __future__ import annotations

import sys
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from zoo import manifest, record
from zoo.catalogue import recipes
from zoo.data.source import folder as data_folder

from .runs import Run, run_of

NO_DATA = """\
{missing} runs of the zoo are not recorded in `{zoo}`, and to record them data are needed.
They were looked for in `{data}`, which does not exist.
Set the environment variable PARAMEDIC_DATA to the folder that has them, or give --as-is to judge
the runs that are there."""


def expected() -> dict[str, int]:
    """How many runs each half has when all are recorded."""
    return dict(Counter(recipe.half for recipe in recipes().values()))


def wanted(half: str | None, only: str | None) -> list[str]:
    """The names of the recipes that are asked for."""
    return [
        recipe.name
        for recipe in recipes().values()
        if half in (None, recipe.half) and fnmatch(recipe.name, only or "*")
    ]


def recorded(zoo: Path, names: list[str]) -> list[Run]:
    """The runs of these names that are there, in the order of the catalogue."""
    known = manifest.read(zoo)
    runs = [run_of(known[name]) for name in names if name in known]
    return [run for run in runs if (zoo / run.file).is_file()]


def record_missing(zoo: Path, half: str | None, only: str | None, jobs: int) -> int:
    """Record what is not there yet; the exit code of the recorder."""
    names = wanted(half, only)
    missing = len(names) - len(recorded(zoo, names))
    if missing and not data_folder().is_dir():
        sys.exit(NO_DATA.format(missing=missing, zoo=zoo, data=data_folder()))
    options = {"--out": str(zoo), "--half": half, "--only": only, "--jobs": str(jobs)}
    given = [part for key, value in options.items() if value for part in (key, value)]
    return record.main(given) if names else 0
