"""Inputs and labels that are abnormal, invalid, useless or missing."""

from __future__ import annotations

import torch

from ....data import changes
from ....faults import first_target_for_all, masked
from ....optimizers import adam
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases


def _abnormal(plan: Plan, seed: int, form: str, change: changes.Change) -> list[Recipe]:
    return sick("abnormal-data", form, plan, seed, source=plan.data(change))


_PLAIN_HOUSING = bases.GROUPED_HOUSING.but(
    model=bases.GROUPED_HOUSING.remodel(norm=False), optimizer=adam(2e-3)
)

ABNORMAL: list[Recipe] = [
    *_abnormal(bases.REMEMBERING_LOANS, 200, "one-in-cents", changes.one_feature_scaled(5, 1e4)),
    *_abnormal(_PLAIN_HOUSING, 201, "missing-as-9999", changes.outliers(0.05, 9999.0)),
    *_abnormal(bases.PLACED_TOWERS, 202, "pixels-x2000", changes.scaled(2000.0, 5000.0)),
]

INVALID: list[Recipe] = [
    *sick(
        "invalid-labels",
        "labels-in-percent",
        bases.BILINEAR_LOANS,
        203,
        source=bases.BILINEAR_LOANS.data(changes.targets(lambda y: 100 * y)),
    ),
    *sick(
        "invalid-labels",
        "missing-as-minus-9999",
        bases.CLOCKWORK_ORBITS,
        204,
        ("gradient-instability", "abnormal-data"),
        source=bases.CLOCKWORK_ORBITS.data(changes.share_of_targets(0.02, -9999.0)),
    ),
    *sick(
        "invalid-labels",
        "tags-of-minus-ten-and-ten",
        bases.GROUPED_TAGS.but(epochs=5),
        205,
        source=bases.GROUPED_TAGS.data(changes.targets(lambda y: 20 * y - 10)),
    ),
]

UNINFORMATIVE: list[Recipe] = [
    *sick(
        "uninformative-labels",
        "shuffled",
        bases.AXIAL_DIGITS,
        206,
        source=bases.AXIAL_DIGITS.data(changes.shuffled_labels),
    ),
    *sick(
        "uninformative-labels",
        "noise-targets",
        bases.NEAREST_SPREAD,
        207,
        source=bases.NEAREST_SPREAD.data(changes.noise_targets),
    ),
    *sick(
        "uninformative-labels",
        "label-of-the-first-for-all",
        bases.READERS_WALKS,
        208,
        ("invalid-labels",),
        tamper=first_target_for_all,
    ),
]

DEAD: list[Recipe] = [
    *sick(
        "dead-input",
        "masked",
        bases.REMEMBERING_SHELLS.but(epochs=6),
        209,
        model=masked(bases.REMEMBERING_SHELLS.model),
    ),
    *sick(
        "dead-input",
        "black-pictures",
        bases.DENSE_TOWERS.but(epochs=5),
        210,
        source=bases.DENSE_TOWERS.data(changes.inputs(torch.zeros_like)),
    ),
    *sick(
        "dead-input",
        "always-the-same-step",
        bases.CLOCKWORK_WALKS.but(epochs=6),
        211,
        source=bases.CLOCKWORK_WALKS.data(changes.inputs(torch.zeros_like)),
    ),
]

RECIPES = ABNORMAL + INVALID + UNINFORMATIVE + DEAD
