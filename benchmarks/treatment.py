"""What `treat="auto"` saves: small runs with an injected fault, treated, untreated and without it.

python benchmarks/treatment.py                 all of it, into docs/benchmarks/treatment.md
python benchmarks/treatment.py --seeds 1       quicker
python benchmarks/treatment.py --only 'gpt*'   some models, printed only
python benchmarks/treatment.py --healthy       treated runs without a fault, bit for bit compared
python benchmarks/treatment.py --cost          processor time per step, printed only

A run counts as saved if its final validation loss is within 2 % of that of the same run without
the fault (better counts too). Data is drawn afresh at each step, by step, so that all three runs
see the same batches.
"""

from __future__ import annotations

import argparse
import fnmatch
import logging
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402

import paramedic  # noqa: E402

CLOSE = 1.02
Batch = tuple[Tensor, Tensor]
FAULTS = ("spike ×20", "spike ×1000", "NaN batch", "rate ×30", "corrupted batch")


# -- the patients --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Patient:
    """A small training: model, optimizer, loss, data and schedule."""

    name: str
    model: Callable[[], nn.Module]
    optimizer: Callable[[Any], torch.optim.Optimizer]
    loss: Callable[[Tensor, Tensor], Tensor]
    batch: Callable[[int, torch.Generator], Batch]
    schedule: Callable[[float], float] = lambda part: 1.0
    size: int = 32
    steps: int = 600
    clip: float | None = None


def _teacher(size: int, generator: torch.Generator) -> Batch:
    """Regression: a fixed random function plus noise."""
    fixed = torch.Generator().manual_seed(99)
    first = torch.randn(8, 16, generator=fixed) / 3
    second = torch.randn(16, 1, generator=fixed) / 2
    x = torch.randn(size, 8, generator=generator)
    noise = 0.3 * torch.randn(size, 1, generator=generator)
    return x, torch.tanh(x @ first) @ second + noise


def _clouds(size: int, generator: torch.Generator) -> Batch:
    """Classification: eight clouds that overlap."""
    fixed = torch.Generator().manual_seed(98)
    centres = 1.2 * torch.randn(8, 10, generator=fixed)
    y = torch.randint(0, 8, (size,), generator=generator)
    return centres[y] + torch.randn(size, 10, generator=generator), y


def _images(size: int, generator: torch.Generator) -> Batch:
    """Classification: six patterns of 8×8 pixels in noise."""
    fixed = torch.Generator().manual_seed(97)
    patterns = torch.randn(6, 1, 8, 8, generator=fixed)
    y = torch.randint(0, 6, (size,), generator=generator)
    return 0.35 * patterns[y] + torch.randn(size, 1, 8, 8, generator=generator), y


def _text(size: int, generator: torch.Generator) -> Batch:
    """A text of 12 characters, each drawn by the two before it."""
    fixed = torch.Generator().manual_seed(96)
    table = torch.softmax(2.5 * torch.randn(12, 12, 12, generator=fixed), dim=-1)
    text = torch.randint(0, 12, (size, 2), generator=generator)
    for _ in range(15):
        odds = table[text[:, -2], text[:, -1]]
        drawn = torch.multinomial(odds, 1, generator=generator)
        text = torch.cat([text, drawn], dim=1)
    return text[:, :-1], text[:, 1:]


def _mlp(inputs: int, outputs: int, *more: nn.Module) -> nn.Module:
    return nn.Sequential(
        nn.Linear(inputs, 64), nn.ReLU(), *more, nn.Linear(64, 64), nn.ReLU(),
        nn.Linear(64, outputs),
    )  # fmt: skip


def _cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(),
        nn.Linear(256, 6),
    )  # fmt: skip


class _Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(12, 24)
        self.lstm = nn.LSTM(24, 32, batch_first=True)
        self.head = nn.Linear(32, 12)

    def forward(self, text: Tensor) -> Tensor:
        return self.head(self.lstm(_embedded(self.tokens, text))[0])


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.first(x)).chunk(3, dim=-1)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True))
        return x + self.mlp(self.second(x))


class _GPT(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.tokens = nn.Embedding(12, width)
        self.places = nn.Parameter(0.02 * torch.randn(16, width))
        self.blocks = nn.Sequential(_Block(width), _Block(width))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 12)

    def forward(self, text: Tensor) -> Tensor:
        x = _embedded(self.tokens, text)
        return self.head(self.norm(self.blocks(x + self.places[: x.shape[1]])))


def _embedded(tokens: nn.Embedding, text: Tensor) -> Tensor:
    """Embeddings of characters; a text that was corrupted comes as vectors."""
    return text @ tokens.weight if text.is_floating_point() else tokens(text)


def _of_text(output: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(output.reshape(-1, 12), target.reshape(-1))


def _cosine(part: float) -> float:
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * part))


def _warm(part: float) -> float:
    return min(1.0, part / 0.05 + 0.01) * _cosine(part)


def _sgd(rate: float) -> Callable[[Any], torch.optim.Optimizer]:
    return lambda parameters: torch.optim.SGD(parameters, lr=rate, momentum=0.9)


def _adam(rate: float) -> Callable[[Any], torch.optim.Optimizer]:
    return lambda parameters: torch.optim.AdamW(parameters, lr=rate)


def _rms(rate: float) -> Callable[[Any], torch.optim.Optimizer]:
    return lambda parameters: torch.optim.RMSprop(parameters, lr=rate)


PATIENTS = (
    Patient("mlp-regression-sgd", lambda: _mlp(8, 1), _sgd(0.04), F.mse_loss, _teacher, _cosine),
    Patient("mlp-regression-adam", lambda: _mlp(8, 1), _adam(2e-2), F.mse_loss, _teacher, _cosine),
    Patient("mlp-classes-sgd", lambda: _mlp(10, 8), _sgd(0.02), F.cross_entropy, _clouds, _cosine),
    Patient("mlp-classes-adam", lambda: _mlp(10, 8), _adam(2e-3), F.cross_entropy, _clouds),
    Patient(
        "mlp-dropout-rmsprop", lambda: _mlp(10, 8, nn.Dropout(0.2)), _rms(2e-3), F.cross_entropy,
        _clouds, _cosine,
    ),
    Patient("cnn-sgd", _cnn, _sgd(0.05), F.cross_entropy, _images, _cosine, steps=400),
    Patient("cnn-adam", _cnn, _adam(2e-3), F.cross_entropy, _images, steps=400),
    Patient("lstm-adam", _Recurrent, _adam(3e-2), _of_text, _text, _cosine, steps=500),
    Patient("gpt-adam", _GPT, _adam(2e-2), _of_text, _text, _warm, size=16, steps=500),
    Patient("gpt-clipped", _GPT, _adam(2e-2), _of_text, _text, _warm, 16, 500, clip=1.0),
)  # fmt: skip


# -- the runs ------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """How a run ended."""

    loss: float
    weights: list[Tensor]
    actions: list[str]


def run(patient: Patient, seed: int, fault: str | None, at: int, treat: str) -> Outcome:
    """Train, with a fault at step `at` and a treatment, if any."""
    torch.manual_seed(seed)
    model = patient.model()
    optimizer = patient.optimizer(model.parameters())
    base = optimizer.param_groups[0]["lr"]
    with paramedic.watch(model, optimizer, treat=treat, strict=True) as monitor:
        for step in range(patient.steps):
            faster = 30.0 if fault == "rate ×30" and step >= at else 1.0
            rate = base * patient.schedule(step / patient.steps) * faster
            for group in optimizer.param_groups:
                group["lr"] = rate
            _step(patient, model, optimizer, _data(patient, seed, step, fault, at))
            _spike(model, fault, step == at)
            if patient.clip:
                nn.utils.clip_grad_norm_(model.parameters(), patient.clip)
            optimizer.step()
        actions = [f"{event.data['action']}@{event.step}" for event in monitor.interventions]
    return Outcome(_validate(patient, model), [*model.state_dict().values()], actions)


def _step(patient: Patient, model: nn.Module, optimizer: Any, batch: Batch) -> None:
    optimizer.zero_grad()
    patient.loss(model(batch[0]), batch[1]).backward()


def _spike(model: nn.Module, fault: str | None, now: bool) -> None:
    if now and fault is not None and fault.startswith("spike"):
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad *= float(fault.split("×")[1])


def _data(patient: Patient, seed: int, step: int, fault: str | None, at: int) -> Batch:
    generator = torch.Generator().manual_seed(1_000_003 * seed + step)
    x, y = patient.batch(patient.size, generator)
    if step != at or fault not in ("NaN batch", "corrupted batch"):
        return x, y
    if not x.is_floating_point():
        x = F.one_hot(x, 12).float()
    if fault == "NaN batch":
        x[0, 0] = math.nan
        return x, y
    return 30 * torch.randn(x.shape, generator=generator), y[
        torch.randperm(len(y), generator=generator)
    ]


@torch.no_grad()
def _validate(patient: Patient, model: nn.Module) -> float:
    model.eval()
    x, y = patient.batch(2000, torch.Generator().manual_seed(12345))
    return patient.loss(model(x), y).item()


# -- the comparison ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One injected run beside its twins."""

    patient: str
    fault: str
    seed: int
    clean: float
    untreated: float
    treated: float
    actions: tuple[str, ...]

    @property
    def saved(self) -> bool:
        return self.treated <= CLOSE * self.clean

    @property
    def unharmed(self) -> bool:
        return self.untreated <= CLOSE * self.clean


def compare(patients: list[Patient], seeds: int, faults: list[str]) -> Iterator[Row]:
    """Every patient with every fault."""
    for patient in patients:
        for seed in range(seeds):
            clean = run(patient, seed, None, -1, "off").loss
            for number, fault in enumerate(faults):
                at = int(patient.steps * (0.45 + 0.08 * ((seed + number) % 4)))
                untreated = run(patient, seed, fault, at, "off").loss
                treated = run(patient, seed, fault, at, "auto")
                actions = tuple(treated.actions)
                yield Row(patient.name, fault, seed, clean, untreated, treated.loss, actions)


def healthy(patients: list[Patient], seeds: int) -> int:
    """Runs without a fault: how many are not bit for bit the same when treated."""
    different = 0
    for patient in patients:
        for seed in range(seeds):
            plain = run(patient, seed, None, -1, "off")
            treated = run(patient, seed, None, -1, "auto")
            same = all(map(torch.equal, plain.weights, treated.weights))
            different += not same
            print(f"{patient.name:22} {seed} same={same} {treated.actions}", flush=True)
    return different


# -- the cost ------------------------------------------------------------------------------------


def _wide() -> nn.Module:
    layers = [layer for _ in range(4) for layer in (nn.Linear(1024, 1024), nn.ReLU())]
    return nn.Sequential(nn.Linear(10, 1024), *layers, nn.Linear(1024, 8))


WIDE = Patient(
    "mlp-4M-adam", _wide, _adam(1e-3), F.cross_entropy, _clouds, size=256, steps=60
)  # fmt: skip


def cost(patients: list[Patient], repeats: int = 3) -> dict[str, dict[str, float]]:
    """Milliseconds of processor time per step: plain, watched, treated; the least of several."""
    found: dict[str, dict[str, float]] = {}
    for patient in patients:
        times: dict[str, float] = {}
        for _ in range(repeats):
            for way in ("plain", "off", "auto"):
                times[way] = min(times.get(way, math.inf), _timed(patient, way))
        found[patient.name] = times
        print(patient.name, {way: round(value, 3) for way, value in times.items()}, flush=True)
    return found


def _timed(patient: Patient, way: str) -> float:
    begin = time.process_time()
    os.environ["PARAMEDIC"] = "off" if way == "plain" else "on"
    run(patient, 0, None, -1, "off" if way == "plain" else way)
    os.environ["PARAMEDIC"] = "on"
    return 1000 * (time.process_time() - begin) / patient.steps


def _costs(found: dict[str, dict[str, float]]) -> list[str]:
    lines = [
        "",
        "## What it costs",
        "",
        "Milliseconds of processor time per step, one thread, the data included; the least of "
        'three runs. `treat="off"` is the default monitor.',
        "",
        '| model | plain | `treat="off"` | `treat="auto"` | auto over plain |',
        "|---|---|---|---|---|",
    ]
    for name, times in found.items():
        plain, off, auto = (times[way] for way in ("plain", "off", "auto"))
        lines.append(f"| {name} | {plain:.2f} | {off:.2f} | {auto:.2f} | {auto / plain:.2f} |")
    return lines


# -- the page ------------------------------------------------------------------------------------


def _show(row: Row) -> None:
    mark = "ok  " if row.saved else "LOST"
    print(
        f"{mark} {row.patient:20} {row.fault:16} {row.seed} clean {row.clean:.4f} "
        f"untreated {row.untreated / row.clean:8.3f} treated {row.treated / row.clean:6.3f} "
        f"{' '.join(row.actions[:8])}",
        flush=True,
    )


def _page(rows: list[Row], costs: dict[str, dict[str, float]]) -> str:
    lines = [
        "# What treatment saves",
        "",
        f"`python benchmarks/treatment.py`: {len(rows)} small runs with an injected fault, by "
        '`treat="auto"` and untreated. Saved: final validation loss within 2 % of the same run '
        "without the fault, or better.",
        "",
        "| fault | runs | within 2 %, treated | within 2 %, untreated | worst ratio, treated | "
        "median ratio, untreated |",
        "|---|---|---|---|---|---|",
    ]
    for fault in [*FAULTS, "all"]:
        chosen = [row for row in rows if fault in (row.fault, "all")]
        if chosen:
            lines.append(_line(fault, chosen))
    return "\n".join([*lines, *_costs(costs)]) + "\n"


def _line(fault: str, rows: list[Row]) -> str:
    saved, unharmed = sum(row.saved for row in rows), sum(row.unharmed for row in rows)
    worst = max(row.treated / row.clean for row in rows)
    ratios = sorted(row.untreated / row.clean for row in rows if math.isfinite(row.untreated))
    lost = sum(not math.isfinite(row.untreated) for row in rows)
    middle = f"{ratios[len(ratios) // 2]:.3f}" if ratios else "-"
    return (
        f"| {fault} | {len(rows)} | {saved} | {unharmed} | {worst:.3f} | "
        f"{middle}{f' ({lost} not finite)' if lost else ''} |"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default="*", help="models whose names match")
    parser.add_argument("--faults", default="*", help="faults whose names match")
    parser.add_argument("--healthy", action="store_true", help="runs without a fault")
    parser.add_argument("--cost", action="store_true", help="what treatment costs")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.getLogger("paramedic").setLevel(logging.ERROR)
    patients = [one for one in PATIENTS if fnmatch.fnmatch(one.name, options.only)]
    if options.cost:
        cost([*patients, WIDE])
        return 0
    if options.healthy:
        return healthy(patients, options.seeds)
    faults = [one for one in FAULTS if fnmatch.fnmatch(one, options.faults)]
    rows = []
    for row in compare(patients, options.seeds, faults):
        rows.append(row)
        _show(row)
    if options.only == options.faults == "*":
        page = _page(rows, cost([*patients, WIDE]))
        print(page)
        (ROOT / "docs/benchmarks/treatment.md").write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
