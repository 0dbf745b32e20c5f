"""The fourth filling of the judging half: more sick runs on architectures that still judge.

Four architectures of the earlier fillings were tuned on and joined the tuning half (`TUNED_ON` in
`recipe.py`); these runs, with seeds from 90 on, make up for the sicknesses they took with them.
"""

from __future__ import annotations

from . import beginnings_and_ends, loss_curve, signals, targets

RECIPES = [
    *loss_curve.RECIPES,
    *beginnings_and_ends.RECIPES,
    *signals.RECIPES,
    *targets.RECIPES,
]
