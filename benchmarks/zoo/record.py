"""Records the runs of the zoo.

python benchmarks/zoo/record.py                       all runs, into build/zoo/
python benchmarks/zoo/record.py --half tuning         one half
python benchmarks/zoo/record.py --only 'dying-relu/*' some
python benchmarks/zoo/record.py --check               sick against sound, nothing is recorded
python benchmarks/zoo/record.py --list                names only
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT / "benchmarks", ROOT / "src"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
for library in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[library] = "1"

from zoo import check, manifest, worker  # noqa: E402
from zoo.catalogue import HALVES, recipes  # noqa: E402
from zoo.recipe import Recipe  # noqa: E402
from zoo.worker import Result  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    chosen = [recipe for recipe in recipes().values() if _wanted(recipe, options)]
    if not chosen:
        print(f"No recipe matches `{options.only}` in the half `{options.half or 'any'}`.")
        return 2
    if options.list:
        print("\n".join(recipe.name for recipe in chosen))
        return 0
    failed = _check(chosen, options) if options.check else _record(chosen, options)
    for result in failed:
        print(f"\n{result.name} failed:\n{result.failure}")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build/zoo", help="folder of the traces")
    parser.add_argument("--half", choices=HALVES, help="only the runs to tune or to judge on")
    parser.add_argument("--only", help="only runs whose names match, as `dying-relu/*`")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument("--force", action="store_true", help="record again what is there")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--check", action="store_true", help="compare sick with sound runs")
    return parser


def _wanted(recipe: Recipe, options: argparse.Namespace) -> bool:
    in_half = options.half in (None, recipe.half)
    return in_half and (not options.only or fnmatch(recipe.name, options.only))


def _record(chosen: list[Recipe], options: argparse.Namespace) -> list[Result]:
    """Record what is missing, keeping the manifest up to date; the failures."""
    options.out.mkdir(parents=True, exist_ok=True)
    manifest.refresh(options.out, recipes())
    known = manifest.read(options.out)
    missing = [r for r in chosen if options.force or not _present(r, known, options.out)]
    print(f"{len(chosen) - len(missing)} runs are there, {len(missing)} to record.")
    paths = {recipe.name: options.out / manifest.file_name(recipe) for recipe in missing}
    failed = []
    for result in _in_workers(
        missing, options.jobs, lambda name: (worker.record, name, paths[name])
    ):
        if result.failure:
            failed.append(result)
        else:
            entry = manifest.entry(recipes()[result.name], result.numbers)
            manifest.add(options.out, entry, recipes())
    return failed


def _present(recipe: Recipe, known: dict[str, dict[str, Any]], folder: Path) -> bool:
    return recipe.name in known and (folder / manifest.file_name(recipe)).is_file()


def _check(chosen: list[Recipe], options: argparse.Namespace) -> list[Result]:
    """Print the comparison of each run with its twin; the failures."""
    failed = []
    for result in _in_workers(chosen, options.jobs, lambda name: (worker.compare, name)):
        if result.failure:
            failed.append(result)
        else:
            print("   ", check.line(recipes()[result.name], result.numbers), flush=True)
    return failed


def _in_workers(
    chosen: list[Recipe], jobs: int, task: Callable[[str], tuple[object, ...]]
) -> Iterator[Result]:
    """Results as they come, from processes that share nothing, with a line of progress each."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures: list[Future[Result]] = [pool.submit(*task(r.name)) for r in chosen]
        for place, future in enumerate(as_completed(futures), 1):
            result = future.result()
            state = "FAILED" if result.failure else f"{result.seconds:.1f} s"
            print(f"{place} of {len(chosen)}  {result.name}  {state}", flush=True)
            yield result


if __name__ == "__main__":
    sys.exit(main())
