"""Inputs and labels that are abnormal, invalid, useless or missing."""

from __future__ import annotations

import torch

from ....data import changes
from ....faults import first_target_for_all, masked
from ....optimizers import adam
from ....plan import Plan
from ....recipe import Recipe, sick
from .. import bases

_PLAIN_FRIEDMAN = bases.FACTORED_FRIEDMAN.but(
    model=bases.FACTORED_FRIEDMAN.remodel(norm=False), optimizer=adam(3e-3)
)


def _abnormal(plan: Plan, seed: int, form: str, change: changes.Change) -> list[Recipe]:
    return sick("abnormal-data", form, plan, seed, source=plan.data(change))


ABNORMAL: list[Recipe] = [
    *_abnormal(_PLAIN_FRIEDMAN, 150, "one-feature-in-millions", changes.one_feature_scaled(6, 3e6)),
    *_abnormal(bases.POOLED_SPREAD, 151, "missing-as-9999", changes.outliers(0.06, 9999.0)),
]

INVALID: list[Recipe] = [
    *sick(
        "invalid-labels",
        "labels-in-percent",
        bases.POOLED_NEEDLES.but(epochs=5),
        152,
        source=bases.POOLED_NEEDLES.data(changes.targets(lambda y: 100 * y)),
    ),
    *sick(
        "invalid-labels",
        "missing-as-minus-999",
        bases.LEAKY_LEAKY,
        153,
        ("gradient-instability", "abnormal-data"),
        source=bases.LEAKY_LEAKY.data(changes.share_of_targets(0.03, -999.0)),
    ),
]

UNINFORMATIVE: list[Recipe] = [
    *sick(
        "uninformative-labels",
        "shuffled",
        bases.ASYMMETRIC_STRIPES,
        154,
        source=bases.ASYMMETRIC_STRIPES.data(changes.shuffled_labels),
    ),
    *sick(
        "uninformative-labels",
        "noise-targets",
        bases.WAVED_TERRAIN,
        155,
        source=bases.WAVED_TERRAIN.data(changes.noise_targets),
    ),
    *sick(
        "uninformative-labels",
        "label-of-the-first-for-all",
        bases.LEAKY_PEAKS,
        156,
        ("invalid-labels",),
        tamper=first_target_for_all,
    ),
]

DEAD: list[Recipe] = [
    *sick(
        "dead-input",
        "masked",
        bases.HYPER_ARMS.but(epochs=6),
        157,
        model=masked(bases.HYPER_ARMS.model),
    ),
    *sick(
        "dead-input",
        "all-padding",
        bases.POOLED_NEEDLES.but(epochs=6),
        158,
        source=bases.POOLED_NEEDLES.data(changes.inputs(torch.zeros_like)),
    ),
]

RECIPES = ABNORMAL + INVALID + UNINFORMATIVE + DEAD
