"""Reads mutants of all formats; only one clear error that names the file is a good answer.

python -m tests.fuzz.fuzzing 10000
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from paramedic.cli.failing import is_clear
from tests.fuzz.formats import FORMATS, Format
from tests.fuzz.mutants import mutate

SECONDS, BYTES = 5.0, 200 * 2**20  # for one file


@dataclass
class Totals:
    mutants: int = 0
    read: int = 0
    refused: int = 0
    tracebacks: int = 0
    unnamed: int = 0  # errors that do not name the file
    over_budget: int = 0
    longest: float = 0.0
    problems: dict[str, int] = field(default_factory=dict)

    def note(self, problem: str) -> None:
        self.problems[problem] = self.problems.get(problem, 0) + 1


def fuzz(count: int, seed: int) -> Totals:
    """So many mutants, of each format as many."""
    source, totals = random.Random(seed), Totals()
    with TemporaryDirectory() as folder:
        originals = {one.name: Path(folder) / "sound" / one.name for one in FORMATS}
        for one in FORMATS:
            originals[one.name].mkdir(parents=True)
            one.write(originals[one.name] / one.file)
            one.read(originals[one.name] / one.file)
        for number in range(count):
            one = FORMATS[number % len(FORMATS)]
            place = Path(folder) / "mutant"
            shutil.copytree(originals[one.name], place)
            mutate(place / one.file, source)
            _try(one, place / one.file, totals)
            shutil.rmtree(place)
    return totals


def _try(form: Format, path: Path, totals: Totals) -> None:
    totals.mutants += 1
    before, begin = _peak(), time.monotonic()
    try:
        form.read(path)
    except Exception as error:  # noqa: BLE001 - which one is what is asked
        _judge(form, path, error, totals)
    else:
        totals.read += 1
    seconds = time.monotonic() - begin
    totals.longest = max(totals.longest, seconds)
    if seconds > SECONDS or _peak() - before > BYTES:
        totals.over_budget += 1
        totals.note(f"{form.name}: over budget")


def _judge(form: Format, path: Path, error: Exception, totals: Totals) -> None:
    totals.refused += 1
    if not is_clear(error):
        totals.tracebacks += 1
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        totals.note(f"{form.name}: {type(error).__name__} in {place}: {error}"[:150])
    elif path.name not in str(error) and path.parent.name not in str(error):
        totals.unnamed += 1
        totals.note(f"{form.name}: unnamed: {error!r}"[:150])


def _peak() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    found = asdict(fuzz(int(sys.argv[1]), seed=random.randrange(10**9)))
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    sys.exit(bool(found["problems"]))
