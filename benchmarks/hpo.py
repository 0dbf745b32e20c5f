"""Ending hopeless trials early: what it saves, and what it loses.

python benchmarks/hpo.py record              record 150 trials of each of three tasks; resumable
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import torch  # noqa: E402

from benchmarks.hpo_parts.recording import record  # noqa: E402

FOLDER = ROOT / "build" / "hpo"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("record",))
    parser.add_argument("--trials", type=int, default=150)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="Using padding='same' with even kernel")
    record(chosen.folder, chosen.trials)


if __name__ == "__main__":
    main()
