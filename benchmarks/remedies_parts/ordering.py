"""Which remedy of a run with two faults is ranked first, by what was learned."""

from __future__ import annotations

from collections.abc import Iterable

from paramedic.prescribe.confidence import LEAST
from paramedic.prescribe.cures import cure_named
from paramedic.prescribe.ranking import ranked
from paramedic.types import Remedy

from .fitting import Fitted
from .trial import Trial


def best_of_each(trials: Iterable[Trial], fitted: Fitted) -> list[Trial]:
    """Of each run the trial of the remedy that the ranking puts first."""
    runs: dict[tuple[str, int], list[Trial]] = {}
    for one in trials:
        runs.setdefault((one.run, one.seed), []).append(one)
    return [best for found in runs.values() if (best := _best(found, fitted)) is not None]


def _best(found: list[Trial], fitted: Fitted) -> Trial | None:
    by_slug = {one.remedy: one for one in found}
    advised = {
        problem: [
            Remedy(slug, slug, fitted.confidence(problem, slug))
            for slug in by_slug
            if problem in cure_named(slug).against and fitted.confidence(problem, slug) >= LEAST
        ]
        for problem in found[0].roots
    }
    order = ranked(advised, fitted.ranking, found[0].effects)
    return by_slug[order[0].slug] if order else None
