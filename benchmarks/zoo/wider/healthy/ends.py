"""Runs that are short or long, begin very high, or end at almost nothing."""

from __future__ import annotations

from dataclasses import replace

import torch

from ... import bases as first
from ...data.source import Split
from ...faults import scaled_weights
from ...optimizers import adam, cosine, sgd, warmup_cosine
from ...recipe import Recipe, healthy
from .. import bases
from ..loops import augmented


def _without_noise(split: Split, generator: torch.Generator) -> Split:
    """Targets that are exactly a weighted sum of the inputs."""
    weights = torch.randn(split.inputs.shape[1], 1, generator=generator)
    return replace(
        split,
        targets=split.inputs @ weights,
        validation_targets=split.validation_inputs @ weights,
    )


RECIPES: list[Recipe] = [
    *healthy("100-steps", bases.LINEAR_DIGITS.but(epochs=5, batch=64, optimizer=adam(1e-2)), 1),
    *healthy("160-steps", first.FC_CIRCLES.but(epochs=8, optimizer=adam(2e-2)), 13),
    *healthy("160-steps", first.CNN_DIGITS.but(epochs=4, optimizer=adam(5e-3)), 7),
    *healthy(
        "2000-steps",
        first.FC_DIGITS.but(
            epochs=50, scheduler=cosine(), optimizer=sgd(0.01, 0.9), tamper=augmented(1.0)
        ),
        14,
    ),
    *healthy(
        "2000-steps",
        first.FC_FRIEDMAN.but(
            source=first.FC_FRIEDMAN.source.sized(1920),
            epochs=34,
            optimizer=adam(1e-3, weight_decay=1e-3),
            scheduler=cosine(),
        ),
        17,
    ),
    *healthy("almost-zero", first.FC_DIGITS.but(optimizer=adam(5e-3), epochs=12), 15),
    *healthy(
        "almost-zero",
        bases.LINEAR_LINES.but(
            source=bases.LINEAR_LINES.data(_without_noise), optimizer=sgd(0.1), epochs=10
        ),
        7,
    ),
    *healthy(
        "begins-high",
        first.FC_DIGITS.but(prepare=scaled_weights(12.0, "4."), optimizer=adam(3e-3)),
        6,
    ),
    *healthy(
        "begins-high",
        first.FC_FRIEDMAN.but(
            prepare=scaled_weights(15.0, "4."),
            optimizer=adam(8e-3),
            scheduler=warmup_cosine(0.05),
        ),
        18,
    ),
]
