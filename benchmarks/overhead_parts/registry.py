"""All variants by name."""

from __future__ import annotations

from .peers import BTTackler, BTTacklerQuick, TensorBoardHistograms, WandbAll, WandbGradients
from .variants import (
    ClipGradNorm,
    Control,
    NormLoop,
    Variant,
    Watch,
    WatchFull,
    WatchFullUntraced,
    WatchVitals,
    WatchVitalsUntraced,
)

# In the order of the tables.
DEFAULT: tuple[type[Variant], ...] = (
    Control,
    Watch,
    WatchVitals,
    WatchFull,
    ClipGradNorm,
    NormLoop,
    BTTacklerQuick,
    BTTackler,
    TensorBoardHistograms,
    WandbGradients,
    WandbAll,
)
ON_REQUEST: tuple[type[Variant], ...] = (WatchVitalsUntraced, WatchFullUntraced)
VARIANTS: dict[str, type[Variant]] = {
    variant.name: variant for variant in (Variant, *DEFAULT, *ON_REQUEST)
}


def split(names: list[str]) -> tuple[list[Variant], dict[str, str]]:
    """The variants of these names that can run here, and why the others cannot."""
    chosen = [VARIANTS[name]() for name in names]
    reasons = {variant.name: variant.missing() for variant in chosen}
    usable = [variant for variant in chosen if reasons[variant.name] is None]
    return usable, {name: reason for name, reason in reasons.items() if reason is not None}
