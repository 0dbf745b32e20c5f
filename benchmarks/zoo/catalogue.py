"""All recipes, and the promises that hold for them."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from . import healthy, sick
from .judging import fourth
from .judging import healthy as judging_healthy
from .judging import sick as judging_sick
from .judging.eighth import healthy as eighth_healthy
from .judging.fifth import healthy as fifth_healthy
from .judging.fifth import sick as fifth_sick
from .judging.second import healthy as second_healthy
from .judging.second import sick as second_sick
from .judging.seventh import healthy as seventh_healthy
from .judging.seventh import sick as seventh_sick
from .judging.sixth import healthy as sixth_healthy
from .judging.sixth import sick as sixth_sick
from .judging.third import healthy as third_healthy
from .judging.third import sick as third_sick
from .recipe import Recipe
from .wider import healthy as wider_healthy
from .wider import sick as wider_sick

SLUGS = (
    "vanishing-gradient",
    "exploding-gradient",
    "gradient-instability",
    "dying-relu",
    "saturated-activation",
    "improper-output-activation",
    "oscillating-loss",
    "slow-convergence",
    "loss-plateau",
    "loss-explosion",
    "improper-loss",
    "no-more-gain",
    "abnormal-data",
    "invalid-labels",
    "uninformative-labels",
    "dead-input",
    "non-finite",
    "learning-rate-too-high",
    "learning-rate-too-low",
    "missing-zero-grad",
    "untrained-parameters",
    "wrong-mode",
    "loss-shape-mismatch",
    "poor-initialization",
    "too-few-steps",
    "overfitting",
)
HALVES = ("tuning", "judging")
SICK_PER_HALF = 4
HEALTHY_PER_HALF = 100


@lru_cache(maxsize=1)
def recipes() -> dict[str, Recipe]:
    """Every recipe by name, in the order of the catalogue."""
    tuning = [*sick.RECIPES, *healthy.RECIPES, *wider_sick.RECIPES, *wider_healthy.RECIPES]
    first = [*judging_sick.RECIPES, *judging_healthy.RECIPES]
    second = [*second_sick.RECIPES, *second_healthy.RECIPES]
    third = [*third_sick.RECIPES, *third_healthy.RECIPES]
    fifth = [*fifth_sick.RECIPES, *fifth_healthy.RECIPES]
    sixth = [*sixth_sick.RECIPES, *sixth_healthy.RECIPES]
    seventh = [*seventh_sick.RECIPES, *seventh_healthy.RECIPES]
    later = [*fifth, *sixth, *seventh, *eighth_healthy.RECIPES]
    every = [*tuning, *first, *second, *third, *fourth.RECIPES, *later]
    check(every)
    return {recipe.name: recipe for recipe in every}


def check(every: list[Recipe]) -> None:
    """Raise `ValueError` if recipes break a promise."""
    _check_names(every)
    _check_slugs(every)
    _check_halves(every)


def _check_names(every: list[Recipe]) -> None:
    times = Counter(recipe.name for recipe in every)
    if twice := [name for name, count in times.items() if count > 1]:
        raise ValueError(f"These recipes have the same name: {', '.join(twice)}.")


def _check_slugs(every: list[Recipe]) -> None:
    counts = Counter((recipe.slug, recipe.half) for recipe in every)
    for slug in ("", *SLUGS):
        wanted = SICK_PER_HALF if slug else HEALTHY_PER_HALF
        for half in HALVES:
            if counts[slug, half] < wanted:
                raise ValueError(
                    f"The {half} half has {counts[slug, half]} runs of `{slug or 'healthy'}` "
                    f"but needs {wanted}."
                )
    named = {name for recipe in every for name in (recipe.slug, *recipe.accepted) if name}
    if unknown := named - set(SLUGS):
        raise ValueError(f"No such sickness: {', '.join(sorted(unknown))}.")


def _check_halves(every: list[Recipe]) -> None:
    """No pair of architecture and data set is in both halves."""
    pairs = {
        half: {(r.architecture, r.dataset) for r in every if r.half == half} for half in HALVES
    }
    if both := pairs["tuning"] & pairs["judging"]:
        raise ValueError(f"In both halves: {sorted(both)}.")
