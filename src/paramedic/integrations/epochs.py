"""The numbers of an epoch under the names that detectors know: `train_loss`, `val_acc` …"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SPLITS = {"eval": "val", "valid": "val", "validation": "val", "training": "train"}
_QUANTITIES = {"accuracy": "acc"}
_NOT_QUALITY = ("runtime", "per_second", "epoch", "step")


def epoch_values(metrics: Mapping[str, Any], split: str | None = None) -> dict[str, float]:
    """Numbers of a library, by our names; `split` is what a bare `loss` or `accuracy` is of.

    What tells of time, not of quality, is left out.
    """
    found: dict[str, float] = {}
    for name, value in metrics.items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            continue
        if not name.endswith(_NOT_QUALITY):
            found[_named(name, split)] = number
    return found


def _named(name: str, split: str | None) -> str:
    first, _, rest = name.replace("/", "_").partition("_")
    if not rest:
        quantity = _QUANTITIES.get(first, first)
        bare = quantity in ("loss", "acc")
        return f"{split}_{quantity}" if split is not None and bare else quantity
    return f"{_SPLITS.get(first, first)}_{_QUANTITIES.get(rest, rest)}"
