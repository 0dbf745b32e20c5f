"""How a ratio is measured: the variant and the plain loop take short turns.

The speed of a shared machine changes within a second by more than what is to be measured, so the
two alternate every few steps, in the order A B B A, and only neighbours are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from .plans import Plan, Turns
from .variants import Variant
from .worker import Turn, Worker
from .workloads import Workload

MEASURES = ("mean", "median", "cpu")
Pairs = list[tuple[Turn, Turn]]


def measure(workload: Workload, variants: Sequence[Variant], plan: Plan) -> dict[str, Any]:
    """All repeats of all variants on one workload."""
    for variant in variants:
        variant.prepare()
    repeats: dict[str, list[dict[str, Any]]] = {variant.name: [] for variant in variants}
    for repeat in range(plan.repeats):
        shift = repeat % max(1, len(variants))
        plain = Worker.start(workload, Variant(), max(2, plan.usual.first_steps), core=repeat)
        for variant in (*variants[shift:], *variants[:shift]):
            turns = plan.turns(budgeted=variant.budgeted, share=variant.share)
            other = Worker.start(workload, variant, turns.first_steps, core=repeat)
            repeats[variant.name].append(_visit(plain, other, turns))
        plain.close()
        print(f"  {workload.name}: repeat {repeat + 1} of {plan.repeats}", flush=True)
    rig = workload.build()
    size = {"parameters": rig.parameters(), "tensors": rig.tensors()}
    return {"title": workload.title, **size, "plan": asdict(plan), "variants": repeats}


def alternate(plain: Worker, other: Worker, turns: Turns, steps: int) -> Pairs:
    """Turns of `other` and of the plain loop side by side, in the order A B B A."""
    pairs: Pairs = []
    last_look = _full_looks(other) + turns.looks if turns.looks else 0
    while len(pairs) < turns.count:
        if len(pairs) % 2:
            beside = plain.turn(turns.plain_steps, turns.skip)
            seen = other.turn(steps, turns.skip)
        else:
            seen = other.turn(steps, turns.skip)
            beside = plain.turn(turns.plain_steps, turns.skip)
        pairs.append((seen, beside))
        if last_look and _full_looks(other) >= last_look:
            break
    return pairs


def _full_looks(worker: Worker) -> int:
    return worker.facts().get("looks.full", 0)


def _visit(plain: Worker, other: Worker, turns: Turns) -> dict[str, Any]:
    """One repeat of one variant."""
    before = other.facts()
    pairs = alternate(plain, other, turns, _steps(turns, other, plain))
    after = other.facts()
    close = other.close()
    costs = {"startup_seconds": _startup(other, plain, pairs), "close_seconds": close}
    costs["attach_seconds"] = other.opening.attach
    return {**_compare(pairs), **costs, "spent_before": before, "spent_after": after}


def _steps(turns: Turns, other: Worker, plain: Worker) -> int:
    """Fewer steps per turn for a slow variant, so that its turns are as short as the others'."""
    slower = np.median(other.opening.steps) / np.median(plain.opening.steps)
    return turns.steps if slower < 2 else max(1, round(turns.steps / slower))


def _compare(pairs: Pairs) -> dict[str, Any]:
    """Time per step over that of the plain loop.

    `mean` and `cpu` compare all the time of all the steps, `median` the typical step.
    """
    seen = {name: _total([mine for mine, _ in pairs], name) for name in MEASURES}
    plain = {name: _total([its for _, its in pairs], name) for name in MEASURES}
    ratios = {name: seen[name] / plain[name] for name in MEASURES}
    ratios["median"] = float(np.median([mine.median / its.median for mine, its in pairs]))
    steps = sum(mine.steps for mine, _ in pairs)
    return {"steps": steps, "ratio": ratios, "seconds": seen, "plain_seconds": plain}


def _total(turns: Sequence[Turn], name: str) -> float:
    """Seconds per step over several turns."""
    values = [getattr(turn, name) for turn in turns]
    if name == "median":
        return float(np.median(values))
    return float(np.average(values, weights=[turn.steps for turn in turns]))


def _startup(other: Worker, plain: Worker, pairs: Pairs) -> float:
    """Seconds to attach, and what the first steps took more than plain ones."""
    # The very first step allocates the optimizer's state: compare it with its like.
    usual = _total([its for _, its in pairs], "median")
    expected = plain.opening.steps[0] + (len(other.opening.steps) - 1) * usual
    return other.opening.attach + sum(other.opening.steps) - expected
