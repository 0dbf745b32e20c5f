"""What is run: the protocol, reduced to what one core does in half an hour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

from .patients import Patient
from .texts import DRAWN, TEXTS
from .training import Shot

EVERY, DEFAULT = "every step", "defaults"
MODES = {EVERY: None, DEFAULT: 0.01}  # how often is looked: the share of the time
EXPLODING, VANISHING = "exploding-gradient", "vanishing-gradient"
FACTORS = {EXPLODING: "×20", VANISHING: "×1e-8"}
ALL = "all layers"
EARLY, LATE = "blocks.0.attention", "blocks.0.perceptron"
ONE = (f"{EARLY}.qkv", f"{LATE}.0", f"{EARLY}.project", f"{LATE}.2", "tokens")
WARM_UP = 80  # steps before the first injection
SOON = 3  # steps after which a fault must be known
AFTER = {"one step": 8, "lasting": 24}  # steps that a run goes on
EMERGENCY = 12  # steps after which a dual injection must be one event
FOREVER = 10_000  # steps: `math.inf` that JSON knows

FRESH = 400  # seeds from here on: thresholds and rules were tried on smaller ones


@dataclass(frozen=True, slots=True)
class Task:
    """One run, or a few that belong together; `labels` say what it is in the tables."""

    part: str  # identity, injection, alarm, dual or rescue
    patient: Patient
    mode: str = EVERY
    shots: tuple[Shot, ...] = ()
    until: int | None = None
    labels: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values, by which a result is found again."""
        return asdict(self)


def tasks(*, quick: bool = False) -> list[Task]:
    """Everything, in the order of the page."""
    if quick:
        return list(_quick())
    return [*_identity(), *_injections(), *_alarms(), *_duals(), *_rescues()]


def _identity() -> Iterator[Task]:
    for number, text in enumerate(TEXTS):
        size = "0.3M" if number == 1 else "0.1M"
        optimizer = "sgd" if number == 2 else "adamw"
        yield Task(
            "identity", Patient(text, FRESH + 3, size, optimizer, "cosine", 1.0, 100), DEFAULT
        )


def _injections() -> Iterator[Task]:
    """Each text, with one optimizer or the other and at another step; after a warm-up, as in the
    paper: the first steps of a run are wild."""
    kinds = product((EXPLODING, VANISHING), (ALL, "one layer"), ("one step", "lasting"))
    for number, (fault, where, lasts) in enumerate(kinds):
        for place, text in enumerate(TEXTS):
            optimizer = ("adamw", "adam")[(number + place) % 2]
            at = WARM_UP + 5 * ((3 * number + 5 * place) % 9)
            layers = [] if where == ALL else [ONE[(number + place) % len(ONE)]]
            duration = FOREVER if lasts == "lasting" else 1
            shot = Shot(fault, at, duration, {"layers": layers})
            labels = {"fault": fault, "where": where, "lasts": lasts, "at": at}
            until = at + 1 + AFTER[lasts]
            for mode in MODES:
                patient = Patient(text, FRESH + number, "0.1M", optimizer, "cosine")
                yield Task("injection", patient, mode, (shot,), until, labels)


def _alarms() -> Iterator[Task]:
    for text in TEXTS:
        several = (
            Patient(text, FRESH + 20, "0.1M", "adamw", "constant", steps=180),
            Patient(text, FRESH + 21, "0.1M", "adamw", "cosine", clip=1.0, steps=180),
            Patient(text, FRESH + 22, "0.1M", "adam", "constant", steps=180),
        )
        for patient, mode in product(several, MODES):
            yield Task("alarm", patient, mode)
    larger = (
        Patient("wikitext2", FRESH + 24, "0.3M", "adamw", "cosine", clip=1.0, steps=180),
        Patient("tinyshakespeare", FRESH + 25, "0.8M", "adamw", "cosine", steps=180),
    )
    for patient, mode in product(larger, MODES):
        yield Task("alarm", patient, mode)


def _patients() -> Iterator[tuple[int, Patient]]:
    """Of the runs that are rescued, each with a number of its own."""
    for place, text in enumerate(TEXTS):
        for turn, (optimizer, schedule) in enumerate((("adamw", "cosine"), ("sgd", "constant"))):
            yield (
                2 * place + turn,
                Patient(text, FRESH + 30 + turn, "0.1M", optimizer, schedule, steps=240),
            )


def dual_kinds(at: int) -> dict[str, tuple[Shot, ...]]:
    """Two faults that begin together."""
    early, late = {"layers": [EARLY]}, {"layers": [LATE]}
    again = {"every": 40, "times": 2}  # the paper: at most twice
    rate = Shot("learning-rate-too-high", at, FOREVER, {"factor": 30.0})
    return {
        "explosion and vanishing": (Shot(EXPLODING, at, 1, late), Shot(VANISHING, at, 1, early)),
        "explosion and vanishing, twice": (
            Shot(EXPLODING, at, 1, early | again), Shot(VANISHING, at, 1, late | again),
        ),
        "explosion and rate ×30": (Shot(EXPLODING, at, 1), rate),
        "vanishing and rate ×30": (Shot(VANISHING, at, 1, late), rate),
    }  # fmt: skip


def _duals() -> Iterator[Task]:
    for number, patient in _patients():
        at = 100 + 5 * number
        for kind, shots in dual_kinds(at).items():
            yield Task("dual", patient, EVERY, shots, labels={"kind": kind, "at": at})


def rescue_kinds(at: int) -> dict[str, Shot]:
    """Faults that cost a run its result."""
    return {
        "spike ×20": Shot(EXPLODING, at, 1),
        "spike ×1000": Shot(EXPLODING, at, 1, {"factor": 1000.0}),
        "NaN batch": Shot("non-finite", at, 1, {"layer": "tokens"}),
        "rate ×30": Shot("learning-rate-too-high", at, FOREVER, {"factor": 30.0}),
        "corrupted batch": Shot("abnormal-data", at, 1),
    }


def _rescues() -> Iterator[Task]:
    for number, patient in _patients():
        at = 95 + 6 * number
        for kind, shot in rescue_kinds(at).items():
            yield Task("rescue", patient, DEFAULT, (shot,), labels={"kind": kind, "at": at})


def unwatched(task: Task) -> tuple[Task, Task]:
    """The run without faults, and the run that nobody treats; known apart from who watches."""
    bare = Task("unwatched", task.patient)
    return bare, replace(bare, shots=task.shots)


def _quick() -> Iterator[Task]:
    """One of each on a text that needs no file, to see that everything works."""
    at = WARM_UP
    patient = Patient(DRAWN, size="tiny", steps=at + 20)
    yield Task("identity", patient, DEFAULT)
    for fault, mode in product((EXPLODING, VANISHING), MODES):
        labels = {"fault": fault, "where": ALL, "lasts": "one step", "at": at}
        yield Task("injection", patient, mode, (Shot(fault, at, 1),), at + 10, labels)
    yield Task("alarm", patient, EVERY)
    kind, shots = next(iter(dual_kinds(at).items()))
    yield Task("dual", patient, EVERY, shots, labels={"kind": kind, "at": at})
    shot = rescue_kinds(at)["NaN batch"]
    yield Task("rescue", patient, DEFAULT, (shot,), labels={"kind": "NaN batch", "at": at})
