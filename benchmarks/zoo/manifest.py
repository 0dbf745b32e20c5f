"""The list of all recorded runs with what is true of them, as JSON beside the traces."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from .learning import learned
from .recipe import Recipe
from .scoring import ACCURACIES

NAME = "manifest.json"


def file_name(recipe: Recipe) -> str:
    return recipe.name.replace("/", "--") + ".db"


def entry(recipe: Recipe, numbers: dict[str, Any]) -> dict[str, Any]:
    """What the manifest says of one run; a number that is not finite becomes null."""
    last = numbers["last"]
    accuracy = numbers["scoring"] in ACCURACIES
    return _truth(recipe) | {
        "steps_seen": numbers["steps"],
        "train_loss": _finite(last["train_loss"]),
        "val_loss": _finite(last["val_loss"]),
        "train_acc": _finite(last["train_score"]) if accuracy else None,
        "val_acc": _finite(last["val_score"]) if accuracy else None,
        "first_val_loss": _finite(numbers["first"]["val_loss"]),
        "score": _finite(last["val_score"]),
        "guess": _finite(numbers["guess"]),
        "learned": learned(numbers),
    }


def _truth(recipe: Recipe) -> dict[str, Any]:
    """What is known of a run before it is trained."""
    return {
        "name": recipe.name,
        "file": file_name(recipe),
        "slug": recipe.slug,
        "accepted": list(recipe.accepted),
        "architecture": recipe.architecture,
        "dataset": recipe.dataset,
        "seed": recipe.seed,
        "half": recipe.half,
        "steps": recipe.steps,
        "onset": recipe.onset,
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def read(folder: Path) -> dict[str, dict[str, Any]]:
    """The entries of the manifest of a folder, by name; none if there is no manifest."""
    path = folder / NAME
    if not path.is_file():
        return {}
    return {one["name"]: one for one in json.loads(path.read_text())["runs"]}


def add(folder: Path, new: dict[str, Any], recipes: dict[str, Recipe]) -> None:
    """Put an entry into the manifest.

    The file is read again each time, so that the two halves can be recorded side by side.
    """
    _write(folder, read(folder) | {new["name"]: new}, recipes)


def refresh(folder: Path, recipes: dict[str, Recipe]) -> None:
    """Say of recorded runs what their recipes say now; drop what left the catalogue."""
    _write(folder, read(folder), recipes)


def _write(folder: Path, entries: dict[str, Any], recipes: dict[str, Recipe]) -> None:
    """In the order of the catalogue, and as a whole, so that it can be read at any time."""
    known = [name for name in recipes if name in entries]
    runs = [entries[name] | _truth(recipes[name]) for name in known]
    unfinished = folder / (NAME + ".part")
    unfinished.write_text(json.dumps({"runs": runs}, indent=1) + "\n")
    unfinished.replace(folder / NAME)
