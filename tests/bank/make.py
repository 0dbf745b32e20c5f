"""Records the bank; run by hand.

python tests/bank/make.py                     record, thin and pack all runs
python tests/bank/make.py build/bank          keep the whole traces there, and use them again
"""

from __future__ import annotations

import json
import lzma
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

BANK = Path(__file__).resolve().parent
ROOT = BANK.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "benchmarks")]
os.environ.setdefault("OMP_NUM_THREADS", "1")

from zoo.catalogue import recipes  # noqa: E402
from zoo.manifest import file_name  # noqa: E402
from zoo.worker import record  # noqa: E402

from paramedic.trace import Trace, Writer  # noqa: E402
from paramedic.types import Epoch, Event, Frame  # noqa: E402
from paramedic.vocabulary import LAYER_STATISTICS, SCALARS  # noqa: E402
from tests.bank import leaking  # noqa: E402

FIRST = 20  # frames that are all kept
EVERY = 15  # of the others one in so many; odd, for nets that take turns

# Small runs of the tuning half: the judging half stays unseen. A run whose sickness is rare needs
# more of its frames.
RUNS: dict[str, int] = {
    "vanishing-gradient/fc-circles-sigmoid20-sgd-s0": EVERY,
    "exploding-gradient/fc-digits-residual8-scale4-no-norm-s2": EVERY,
    "exploding-gradient/fc-friedman-relu8-weights-x4-s0": EVERY,
    "gradient-instability/fc-friedman-heavy-tailed-targets-s0": 2,
    "dying-relu/fc-circles-bias-6-sgd-s0": EVERY,
    "saturated-activation/fc-circles-tanh-weights-x60-s0": EVERY,
    "improper-output-activation/fc-digits-softmax-before-cross-entropy-s0": EVERY,
    "oscillating-loss/fc-digits-class-sorted-sgd-s0": EVERY,
    "oscillating-loss/fc-circles-momentum-0.99-s2": EVERY,
    "slow-convergence/fc-circles-sgd-0.02-s0": EVERY,
    "loss-plateau/fc-circles-linear-model-sgd-s0": EVERY,
    "loss-explosion/fc-circles-sign-error-sgd-s0": EVERY,
    "improper-loss/fc-digits-mse-on-class-numbers-s0": EVERY,
    "no-more-gain/fc-circles-long-past-best-s0": EVERY,
    "abnormal-data/fc-digits-not-normalised-x100-s0": EVERY,
    "invalid-labels/fc-digits-mostly-ignored-s0": EVERY,
    "uninformative-labels/fc-digits-shuffled-s0": EVERY,
    "dead-input/fc-digits-all-zero-s0": EVERY,
    "non-finite/fc-circles-log-of-zero-layer-s0": EVERY,
    "learning-rate-too-high/fc-circles-sgd-x100-s0": EVERY,
    "learning-rate-too-low/fc-circles-sgd-1e-5-s0": EVERY,
    "missing-zero-grad/fc-digits-never-momentum-s0": EVERY,
    "untrained-parameters/fc-digits-first-layers-not-in-optimizer-s0": EVERY,
    "wrong-mode/fc-digits-dropout-eval-s0": EVERY,
    "loss-shape-mismatch/fc-friedman-mse-s0": EVERY,
    "poor-initialization/fc-digits-all-zero-s0": EVERY,
    "too-few-steps/fc-digits-8-epochs-s0": EVERY,
    "overfitting/fc-digits-160-samples-s0": EVERY,
    "healthy/fc-circles-plain-s3": EVERY,
    "healthy/fc-friedman-plain-s3": EVERY,
    "healthy/rnn-digits-plain-s3": EVERY,
    "healthy/transformer-digits-warm-up-s4": EVERY,
    "healthy/fc-digits-one-cycle-s4": EVERY,
    "healthy/fc-circles-batch-2-s5": EVERY,
    "healthy/fc-digits-accumulate-4-s6": EVERY,
    "healthy/fc-friedman-lbfgs-s5": EVERY,
    "healthy/fc-digits-frozen-first-layer-s8": EVERY,
    "healthy/fc-digits-batch-norm-s9": EVERY,
    "healthy/fc-digits-sigmoid3-s1": EVERY,
    "healthy/fc-digits-mostly-silent-relu-s2": EVERY,
    "healthy/fc-digits-half-dropped-s3": EVERY,
    "healthy/fc-digits-label-smoothing-s5": EVERY,
    "healthy/other-circles-adversaries-s2": EVERY,
    "healthy/fc-friedman-targets-x30-s8": EVERY,
}
OWN = {"too-good-to-be-true/leaking-text": leaking.record}  # what no recipe of the zoo has


def main(kept: str | None = None) -> int:
    """Record, thin and pack; then write the manifest of all that is there."""
    with tempfile.TemporaryDirectory() as folder:
        wholes = Path(kept or folder)
        wholes.mkdir(parents=True, exist_ok=True)
        failed = [name for name in RUNS if not _make(name, wholes, Path(folder) / "thin.db")]
        for name in OWN:
            _make_own(name, wholes, Path(folder) / "thin.db")
    entries = [_entry(name) for name in (*RUNS, *OWN) if name not in failed]
    (BANK / "manifest.json").write_text(json.dumps({"runs": entries}, indent=1) + "\n")
    return 1 if failed else 0


def _make(name: str, wholes: Path, thin: Path) -> bool:
    whole = wholes / file_name(recipes()[name])
    if not whole.exists():
        result = record(name, whole)
        if result.failure:
            print(f"{name} failed:\n{result.failure}")  # noqa: T201
            return False
    _pack(name, whole, thin, RUNS[name])
    return True


def _make_own(name: str, wholes: Path, thin: Path) -> None:
    whole = wholes / _file(name).removesuffix(".xz")
    if not whole.exists():
        OWN[name](whole)
    _pack(name, whole, thin, EVERY)


def _pack(name: str, whole: Path, thin: Path, every: int) -> None:
    thin.unlink(missing_ok=True)
    copy(whole, thin, every)
    packed = lzma.compress(thin.read_bytes(), preset=9)
    (BANK / _file(name)).write_bytes(packed)
    print(f"{name}  {len(packed) / 1000:.0f} kB", flush=True)  # noqa: T201


def copy(whole: Path, thin: Path, every: int) -> None:
    """The trace with fewer frames and only the statistics that a detector reads."""
    wanted = read_by_detectors()
    with Trace.open(whole) as trace:
        frames = {frame.step: frame for frame in _some(list(trace.frames()), every)}
        told: dict[int, list[Event | Epoch]] = defaultdict(list)
        for one in (*trace.events, *trace.epochs):
            told[one.step].append(one)
        writer = Writer(thin, batch=10_000, max_age=1e9)
        writer.chart(trace.chart)
        pulse = trace.pulse()
        beats = zip(pulse.step, pulse.loss, pulse.finite, pulse.skipped, strict=True)
        for step, loss, finite, skipped in beats:
            writer.pulse(int(step), float(loss), bool(finite), bool(skipped))
            if step in frames:
                frame = frames[step]
                layers = {name: row for name, row in frame.layers.items() if name in wanted}
                scalars = {name: one for name, one in frame.scalars.items() if name in wanted}
                writer.frame(Frame(frame.step, frame.level, scalars, layers))
            for one in told[int(step)]:
                writer.event(one) if isinstance(one, Event) else writer.epoch(one)
        writer.close()


def _some(frames: list[Frame], every: int) -> list[Frame]:
    return frames[:FIRST] + frames[FIRST::every]


def read_by_detectors() -> set[str]:
    """The statistics whose names stand in the source of the detectors."""
    folder = ROOT / "src/paramedic/diagnose"
    text = "".join(p.read_text() for p in (*folder.glob("*.py"), *folder.glob("detectors/*.py")))
    known = (*LAYER_STATISTICS, *SCALARS, "lr/0")
    return {name for name in known if f'"{name}"' in text}


def _file(name: str) -> str:
    if name in OWN:
        return f"{name.replace('/', '--')}.db.xz"
    return file_name(recipes()[name]) + ".xz"


def _entry(name: str) -> Mapping[str, Any]:
    if name in OWN:
        return {"name": name, "file": _file(name), "slug": name.split("/")[0], "accepted": []}
    recipe = recipes()[name]
    return {
        "name": name,
        "file": _file(name),
        "slug": recipe.slug,
        "accepted": list(recipe.accepted),
    }


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
