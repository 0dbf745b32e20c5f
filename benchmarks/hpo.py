"""Ending hopeless trials early: what it saves, and what it loses.

python benchmarks/hpo.py              record, simulate, and write docs/benchmarks/hpo.md
python benchmarks/hpo.py record       only record the trials of three tasks; resumable
python benchmarks/hpo.py healthy      only record the studies of healthy trials; resumable
python benchmarks/hpo.py cost         only measure what watching costs
python benchmarks/hpo.py live         only run live studies with and without; resumable
python benchmarks/hpo.py simulate     only replay the trials for judging, and write the page
python benchmarks/hpo.py page         only write the page again, with what was replayed last
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import torch  # noqa: E402

from benchmarks.hpo_parts import cost, healthy, live, page  # noqa: E402
from benchmarks.hpo_parts.recording import PARTS, record  # noqa: E402
from benchmarks.hpo_parts.simulating import DRAWS, simulate  # noqa: E402

FOLDER = ROOT / "build" / "hpo"
STAGES = ("all", "record", "healthy", "cost", "live", "simulate", "page")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=STAGES, default="all")
    parser.add_argument("--trials", type=int, default=0, help="only so many per task and part")
    parser.add_argument("--parts", nargs="*", choices=[*PARTS], default=[*PARTS], help="to record")
    parser.add_argument("--processes", type=int, default=2, help="that record and replay")
    parser.add_argument("--draws", type=int, default=DRAWS, help="studies drawn from the trials")
    parser.add_argument("--budget", type=float, default=live.BUDGET, help="seconds, live study")
    parser.add_argument("--seeds", type=int, default=live.SEEDS, help="live studies per sampler")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the recorded studies")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="Using padding='same' with even kernel")
    if chosen.what in ("all", "record"):
        for part in chosen.parts:
            record(chosen.folder, PARTS[part], chosen.processes, chosen.trials)
    if chosen.what in ("all", "healthy"):
        healthy.record(chosen.folder / "healthy")
    if chosen.what in ("all", "cost"):
        _save(chosen.folder / "cost.json", cost.measure())
    if chosen.what in ("all", "live"):
        found = live.measure(chosen.folder / "live", chosen.budget, chosen.seeds)
        _save(chosen.folder / "live.json", found)
    if chosen.what in ("all", "simulate"):
        found = simulate(chosen.folder, chosen.draws, chosen.processes)
        _save(chosen.folder / "results.json", found)
    if chosen.what in ("all", "simulate", "page"):
        print(f"wrote {page.write(_results(chosen.folder), chosen.out)}")


def _results(folder: Path) -> dict[str, Any]:
    """What was replayed last, with the healthy trials and what was measured if there is any."""
    results: dict[str, Any] = json.loads((folder / "results.json").read_text("utf-8"))
    if healthy.is_recorded(folder / "healthy"):
        results["healthy"] = healthy.judge(folder / "healthy")
    for name in ("cost", "live"):
        if (folder / f"{name}.json").exists():
            results[name] = json.loads((folder / f"{name}.json").read_text("utf-8"))
    return results


def _save(path: Path, told: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
