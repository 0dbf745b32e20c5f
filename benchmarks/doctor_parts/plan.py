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
ONE = ("blocks.0.attention.qkv", "blocks.1.perceptron.0", "blocks.1.attention.project",
       "blocks.0.perceptron.2", "tokens")  # fmt: skip
SOON = 3  # steps after which a fault must be known
AFTER = {"one step": 12, "lasting": 40}  # steps that a run goes on
EMERGENCY = 12  # steps after which a dual injection must be one event
FOREVER = 10_000  # steps: `math.inf` that JSON knows


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
        size = "0.3M" if number % 2 else "0.1M"
        optimizer = "sgd" if number == 2 else "adamw"
        patient = Patient(text, 3, size, optimizer, "cosine", clip=1.0, steps=200)
        yield Task("identity", patient, DEFAULT)


def _injections() -> Iterator[Task]:
    """Each text twice, with another optimizer and at another step."""
    kinds = product((EXPLODING, VANISHING), (ALL, "one layer"), ("one step", "lasting"))
    for number, (fault, where, lasts) in enumerate(kinds):
        for place, text in enumerate(TEXTS):
            for turn, optimizer in enumerate(("adamw", "sgd")):
                at = 50 + 17 * ((3 * number + 5 * place + 7 * turn) % 9)
                layers = () if where == ALL else (ONE[(number + place + 2 * turn) % len(ONE)],)
                shot = Shot(
                    fault, at, FOREVER if lasts == "lasting" else 1, {"layers": list(layers)}
                )
                patient = Patient(text, 10 * number + turn, optimizer=optimizer)
                labels = {"fault": fault, "where": where, "lasts": lasts, "at": at}
                for mode in MODES:
                    yield Task("injection", patient, mode, (shot,), at + 1 + AFTER[lasts], labels)


def _alarms() -> Iterator[Task]:
    for text in TEXTS:
        several = (
            Patient(text, 20, "0.1M", "adamw", "constant", steps=400),
            Patient(text, 21, "0.1M", "adamw", "cosine", clip=1.0, steps=300),
            Patient(text, 22, "0.1M", "sgd", "constant", steps=400),
            Patient(text, 23, "0.1M", "sgd", "cosine", clip=1.0, steps=300),
            Patient(text, 24, "0.3M", "adamw", "cosine", steps=200),
        )
        for patient, mode in product(several, MODES):
            yield Task("alarm", patient, mode)
    for mode in MODES:
        yield Task(
            "alarm", Patient("tinyshakespeare", 25, "0.8M", "adamw", "cosine", steps=150), mode
        )


def dual_kinds(at: int) -> dict[str, tuple[Shot, ...]]:
    """Two faults that begin together."""
    early, late = {"layers": ["blocks.0"]}, {"layers": ["blocks.1"]}
    rate = Shot("learning-rate-too-high", at, FOREVER, {"factor": 30.0})
    return {
        "explosion and vanishing": (Shot(EXPLODING, at, 1, late), Shot(VANISHING, at, 1, early)),
        "explosion and vanishing, lasting": (
            Shot(EXPLODING, at, FOREVER, early), Shot(VANISHING, at, FOREVER, late),
        ),
        "explosion and corrupted batch": (Shot(EXPLODING, at, 1), Shot("abnormal-data", at, 1)),
        "explosion and rate ×30": (Shot(EXPLODING, at, 1), rate),
        "vanishing and rate ×30": (Shot(VANISHING, at, FOREVER, late), rate),
    }  # fmt: skip


def _duals() -> Iterator[Task]:
    for place, text in enumerate(TEXTS):
        for turn, optimizer in enumerate(("adamw", "sgd")):
            patient = Patient(text, 30 + turn, optimizer=optimizer, schedule="cosine", steps=260)
            at = 130 + 11 * place + 5 * turn
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
    for place, text in enumerate(TEXTS):
        for turn, optimizer in enumerate(("adamw", "sgd")):
            patient = Patient(text, 30 + turn, optimizer=optimizer, schedule="cosine", steps=260)
            at = 125 + 13 * ((place + 2 * turn) % 4)
            for kind, shot in rescue_kinds(at).items():
                yield Task("rescue", patient, DEFAULT, (shot,), labels={"kind": kind, "at": at})


def unwatched(task: Task) -> tuple[Task, Task]:
    """The run without faults, and the run that nobody treats; known apart from who watches."""
    bare = Task("unwatched", task.patient)
    return bare, replace(bare, shots=task.shots)


def _quick() -> Iterator[Task]:
    """One of each on a text that needs no file, to see that everything works."""
    patient = Patient(DRAWN, size="tiny", steps=60)
    yield Task("identity", patient, DEFAULT)
    for fault, mode in product((EXPLODING, VANISHING), MODES):
        labels = {"fault": fault, "where": ALL, "lasts": "one step", "at": 40}
        yield Task("injection", patient, mode, (Shot(fault, 40, 1),), 50, labels)
    yield Task("alarm", patient, EVERY)
    kind, shots = next(iter(_tiny_duals(40).items()))
    yield Task("dual", patient, EVERY, shots, labels={"kind": kind, "at": 40})
    shot = rescue_kinds(40)["NaN batch"]
    yield Task("rescue", patient, DEFAULT, (shot,), labels={"kind": "NaN batch", "at": 40})


def _tiny_duals(at: int) -> dict[str, tuple[Shot, ...]]:
    early, late = {"layers": ["tokens"]}, {"layers": ["blocks.0"]}
    return {
        "explosion and vanishing": (Shot(EXPLODING, at, 1, late), Shot(VANISHING, at, 1, early))
    }
