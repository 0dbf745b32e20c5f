"""The attempts of one heal, their folders, and how legs are run: here or in other processes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from torch import nn

from paramedic.reading import Unreadable, read_object
from paramedic.treat.heal.attempt import Attempt, Leg, Treatment, Watchfulness, write_json
from paramedic.treat.heal.cluster import run_on_ray
from paramedic.treat.heal.options import Options
from paramedic.treat.heal.progress import Listener, Reporter
from paramedic.treat.heal.workers import run_apart
from paramedic.treat.plan import Plan


class Session:
    """What a heal works with: its plan, its settings, all attempts so far."""

    def __init__(
        self, plan: Plan, options: Options, out: Path | None, listener: Listener | None
    ) -> None:
        self.plan, self.options, self.out = plan, options, out
        self.reporter = Reporter(listener)
        self.attempts: list[Attempt] = []
        self.wasted = 0  # samples that remedies were tried out on which did not fit
        if out is not None:
            _claim(out, plan, options)

    def attempt(
        self, plan: Plan, treatment: Treatment | None = None, parent: Attempt | None = None
    ) -> Attempt:
        """A new attempt; if its folder has a record, what is there counts."""
        number = len(self.attempts)
        name = "untouched" if treatment is None else treatment.remedy
        folder = None if self.out is None else self.out / f"attempt-{number:02d}-{name}"
        before = None if parent is None else parent.number
        made = Attempt(number, plan, treatment, before, folder)
        self.attempts.append(made)
        return made

    def advance(self, attempt: Attempt, until: int, watchfulness: Watchfulness) -> Leg:
        """One leg of one attempt, in this process."""
        return attempt.advance(until, watchfulness, self.reporter.following(attempt))

    def advance_all(
        self, attempts: Sequence[Attempt], until: Sequence[int], watchfulness: Watchfulness
    ) -> list[Leg]:
        """One leg of each, several at a time if there are workers or a cluster."""
        if self.out is not None and len(attempts) > 1:
            if self.options.ray:
                run_on_ray(attempts, until, watchfulness)
            elif self.options.workers > 1:
                run_apart(attempts, until, watchfulness, self.options.workers)
        pairs = zip(attempts, until, strict=True)
        return [self.advance(one, step, watchfulness) for one, step in pairs]

    @property
    def cost(self) -> float:
        """Samples trained on in all attempts, over those of one untouched run."""
        whole = self.plan.steps * self.plan.batch_size
        trained = sum(attempt.samples for attempt in self.attempts) + self.wasted
        return trained / max(whole, 1)


def _claim(out: Path, plan: Plan, options: Options) -> None:
    """A folder belongs to one plan; the same plan again goes on where it stopped."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"`{out}` is a file; `out` must be a folder.")
    mine = {"plan": fingerprint(plan), "strategy": options.strategy}
    path = out / "heal.json"
    if not os.path.lexists(path):
        write_json(path, mine)
        return
    try:
        there = read_object(path)
    except (Unreadable, OSError) as error:
        raise ValueError(f"{error} Use another folder.") from error
    if there != mine:
        what = "strategy" if there.get("plan") == mine["plan"] else "plan"
        raise ValueError(f"`{out}` has the heal of another {what}; use another folder.")


def fingerprint(plan: Plan) -> str:
    """What tells one plan from another: its code, its initial weights, the first samples."""
    digest = hashlib.sha256(plan.code().encode())
    model = plan.model if isinstance(plan.model, nn.Module) else plan.build_model()
    for name, value in model.state_dict().items():
        digest.update(f"{name} {float(value.double().sum()):.6g}".encode())
    digest.update(str(plan.sample(64)[1].tolist()).encode())
    return digest.hexdigest()[:16]
