"""Runs as tests need them: courses, findings and traces of any size, without training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from paramedic.diagnose.case import Case
from paramedic.diagnose.causes import Diagnosis
from paramedic.diagnose.conclusion import Conclusion, conclude
from paramedic.diagnose.verdict import Assessment
from paramedic.report.view.course import Course
from paramedic.report.view.judgement import Judgement, SourceLine
from paramedic.report.view.run import RunView, run_view
from paramedic.run.outcome import Record, Verified
from paramedic.run.places import Place
from paramedic.trace import Writer
from paramedic.types import (
    Chart,
    Epoch,
    Event,
    Finding,
    Frame,
    Kind,
    Layer,
    Pulse,
    Remedy,
    Safety,
    Severity,
    Verdict,
)  # fmt: skip

ROOT = Finding(
    "G001", "vanishing-gradient", Severity.CRITICAL, 0.9, "The gradient of `body.0` is gone.", 40,
    ("body.0", "body.1"), {"ratio": 2e-9, "threshold": 1e-3, "learned": 0.0, "first_step": 10},
    ("loss-plateau",),
)  # fmt: skip
EFFECT = Finding("L003", "loss-plateau", Severity.WARNING, 0.7, "The loss rests.", 60)
NOTE = Finding("O008", "too-few-steps", Severity.INFO, 0.8, "It still falls.", 90)
LEAK = Finding("D005", "too-good-to-be-true", Severity.INFO, 0.7, "Too good.", 70)
ASIDE = Finding("O001", "learning-rate-too-high", Severity.WARNING, 0.5, "Too fast.", 30)
CODE = "model[1] = nn.ReLU()"
REMEDY = Remedy(
    "replace-activation", "Replace nn.Tanh by nn.ReLU in `1`", 0.89, Safety.UNSAFE, code=CODE,
    diff="--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n-nn.Tanh()\n+nn.ReLU()\n",
    ground="worked in 3 of 3 measured repairs", against=("vanishing-gradient",),
)  # fmt: skip
VERIFIED = Verified(
    "val_loss", 1.1, 0.2, 300, {"before": [1.1, 1.1, 1.1], "after": [1.1, 0.5, 0.2]}
)


STUCK = Assessment(
    Verdict.NOT_LEARNING, "the loss is no lower than at first after 100 steps (first 2, now 2)",
    {"first loss": 2.0, "loss at the end": 2.0, "steps": 100.0},
)  # fmt: skip
FELL = Assessment(Verdict.LEARNING, "the loss fell from 2 to 1", {"first loss": 2.0})
YOUNG = Assessment(Verdict.TOO_EARLY, "the run has 3 steps")
FAULT = Finding(
    "O003", "missing-zero-grad", Severity.WARNING, 0.95, "Gradients add up.", 20, kind=Kind.FAULT
)

# -- programs that were run under watch ------------------------------------------------------------

RATE = Finding(
    "O002", "learning-rate-too-low", Severity.WARNING, 0.9, "Slow.", 26, (), {"ratio": 1e-6},
    ("loss-plateau",),
)  # fmt: skip
FLAT = Finding(
    "L003", "loss-plateau", Severity.CRITICAL, 0.8, "Flat.", 300, kind=Kind.SYMPTOM
)  # fmt: skip
RAISE = Remedy("raise-rate", "Raise it", 0.8, code="lr *= 10", against=(RATE.slug,))
_FOUND = Diagnosis(RATE, (), (FLAT,), (), {"wrong-mode": "no dropout"})
FAILING = Record(
    "model", 300, 20, _FOUND, conclude(_FOUND, (), STUCK), (RAISE,),
    places={"optimizer": Place("/t.py", 8)}, spent={"share": 0.01, "seconds": 0.5},
    trace=Path("/run.db"),
)  # fmt: skip
LEARNING = Record("other", 900, 50, conclusion=Conclusion(FELL))


def names(layers: int) -> list[str]:
    return [f"body.{place}" for place in range(layers)]


def chart(layers: Sequence[str]) -> Chart:
    return Chart(
        tuple(Layer(name, "Linear", 100, order=place) for place, name in enumerate(layers)),
        optimizers=({"name": "SGD"},),
        loss="cross-entropy",
        batch_size=32,
    )


def course(steps: int = 100, layers: int = 3, every: int = 1, called: Sequence[str] = ()) -> Course:
    """A course whose numbers can be told from their places: norm of layer k at step s is
    10**-(k+1) * (1 + s)."""
    step = np.arange(steps)
    looks = step[::every]
    rows = np.arange(layers)
    norm = (10.0 ** -(rows + 1) * (1 + looks)[:, None]).astype(np.float32)
    return Course(
        chart=chart(called or names(layers)),
        pulse=Pulse(step, 2.0 - step / steps, np.ones(steps, bool), np.zeros(steps, bool)),
        steps=looks,
        scalars={"grad_norm": norm[:, 0].astype(float), "lr/0": np.full(len(looks), 0.1)},
        layers={
            "grad_norm": norm,
            "update_ratio": np.full_like(norm, 1e-3),
            "act_dead": np.full_like(norm, 0.25),
            "act_saturated": np.full_like(norm, 0.5),
        },
        epochs=(
            Epoch(0, steps // 2, {"train_loss": 1.5, "val_loss": 1.6, "val_acc": 0.4}),
            Epoch(1, steps - 1, {"train_loss": 1.1, "val_loss": 1.3, "val_acc": 0.6}),
        ),
        events=(Event(5, "jump", "The gradient jumped in `body.0`."),),
    )


def judged(diagnosis: Diagnosis, assessment: Assessment = STUCK) -> Judgement:
    """What was found in a run, by default one that does not learn."""
    return Judgement(diagnosis, conclude(diagnosis, (), assessment))


def judgement(assessment: Assessment = STUCK) -> Judgement:
    """A likely cause with a remedy that was tried, a consequence, a note, and one set aside."""
    diagnosis = Diagnosis(ROOT, (NOTE,), (EFFECT,), (ASIDE,), {"wrong-mode": "no dropout"})
    cases = (Case(ROOT, 40, 99), Case(EFFECT, 60, 80, 81))
    return Judgement(
        diagnosis,
        conclude(diagnosis, cases, assessment),
        cases=cases,
        remedies=(REMEDY,),
        sources={ROOT.slug: (SourceLine("t.py:12", "self.body = nn.Tanh()"),)},
        verified={REMEDY.slug: VERIFIED},
    )


def sick_run(steps: int = 100, layers: int = 3, name: str = "run.db") -> RunView:
    return run_view(
        name, course(steps, layers), judgement(), spent={"share": 0.012, "seconds": 1.5}
    )


def trace(path: Path, steps: int = 30, layers: int = 2, every: int = 3) -> Path:
    """A recorded run; every third step was looked at, and a layer is added in the middle."""
    writer = Writer(path)
    writer.chart(chart(names(layers)))
    for step in range(steps):
        writer.pulse(step, 2.0 / (1 + step), True, step == 4)
        if step % every == 0:
            width = layers if step >= steps // 2 else layers - 1
            rows = {"grad_norm": np.full(width, step + 1, np.float32)}
            if step % (2 * every) == 0:
                rows["act_dead"] = np.full(width, 0.5, np.float32)
            scalars = {"loss": 2.0 / (1 + step), "grad_norm": float(step), "lr/0": 0.1}
            writer.frame(Frame(step, "full", scalars, rows))
    writer.epoch(Epoch(0, steps - 1, {"val_loss": 0.5}))
    writer.meta("spent", {"share": 0.01, "seconds": 2.0})
    writer.close()
    return path
