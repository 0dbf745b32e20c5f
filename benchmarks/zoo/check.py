"""Sick against sound, side by side: is the fault really a fault, does the healthy run learn?"""

from __future__ import annotations

from typing import Any

from .recipe import Recipe

BY_CONSTRUCTION = frozenset(
    {
        "no-more-gain",
        "too-few-steps",
        "overfitting",
        "wrong-mode",
        "missing-zero-grad",
        "untrained-parameters",
    }
)
MARGIN = 0.05  # of the score: a sick run must be that much worse than its twin
LOSS_RATIO = 1.3  # or its validation loss that many times larger
LEARNED = 0.7  # a healthy run ends below this share of its first validation loss
STEEP = 0.15  # and does not fall by more than this share in its last fifth
RISEN = 1.15  # and does not end this far above its best


def line(recipe: Recipe, numbers: dict[str, Any]) -> str:
    """One line of the comparison, ending with what is doubtful."""
    if recipe.slug:
        return _sick_line(recipe, numbers["sick"], numbers["sound"])
    return _healthy_line(numbers["sick"])


def _sick_line(recipe: Recipe, sick: dict[str, Any], sound: dict[str, Any]) -> str:
    worse = _worse(sick["last"], sound["last"])
    built_in = recipe.slug in BY_CONSTRUCTION
    verdict = "worse" if worse else "by construction" if built_in else "DOUBTFUL"
    return f"sick {_brief(sick)}  sound {_brief(sound)}  {verdict}"


def _worse(sick: dict[str, float], sound: dict[str, float]) -> bool:
    """Whether the sick run is clearly worse; numbers that are not finite are."""
    if not sick["val_score"] > sound["val_score"] - MARGIN:
        return True
    return not sick["val_loss"] < LOSS_RATIO * sound["val_loss"] + 1e-9


def _healthy_line(run: dict[str, Any]) -> str:
    doubts = [*_not_learned(run), *_wrong_end(run["epochs"])]
    return f"{_brief(run)}  {'DOUBTFUL: ' + ', '.join(doubts) if doubts else 'learns'}"


def _not_learned(run: dict[str, Any]) -> list[str]:
    first, last = run["first"]["val_loss"], run["last"]["val_loss"]
    return [] if last < LEARNED * first or last < first - 1 else ["has not learned"]


def _wrong_end(epochs: list[dict[str, float]]) -> list[str]:
    losses = [values["val_loss"] for values in epochs]
    if len(losses) < 5:
        return []
    found, fifth = [], max(1, len(losses) // 5)
    if min(losses[-fifth:]) < (1 - STEEP) * min(losses[:-fifth]) and losses[-1] > 0.1 * losses[0]:
        found.append("still falling")
    if losses[-1] > RISEN * min(losses) and losses[-1] > 0.1 * losses[0]:
        found.append("rising")
    return found


def _brief(run: dict[str, Any]) -> str:
    first, last = run["first"], run["last"]
    return (
        f"loss {first['val_loss']:8.3g} → {last['val_loss']:8.3g} "
        f"(train {last['train_loss']:8.3g}) score {last['val_score']:6.2f}"
    )
