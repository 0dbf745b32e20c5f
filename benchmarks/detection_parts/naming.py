"""Which of our names the names of the other systems mean, so that they get their due."""

from __future__ import annotations

from functools import cache

from paramedic.diagnose.rules import DEFAULT, rules
from paramedic.types import Kind

SPARSE = "sparse"  # our catalogue, shown one frame in so many
FAMILIES = {
    "G": "gradients",
    "A": "activations",
    "L": "loss curve",
    "D": "data",
    "N": "numerics",
    "O": "optimisation",
    "T": "generalisation",
}
# Generous where a rule covers more than its name says: AUTOTRAINER calls a gradient that is not
# finite exploding, and so do BTTackler's abnormal values.
MEANINGS: dict[str, frozenset[str]] = {
    slug: frozenset(ours.split())
    for slug, ours in {
        "autotrainer-vanishing-gradient": "vanishing-gradient",
        "autotrainer-exploding-gradient": "exploding-gradient non-finite",
        "autotrainer-dying-relu": "dying-relu",
        "autotrainer-oscillating-loss": "oscillating-loss",
        "autotrainer-slow-convergence": "slow-convergence",
        "autotrainer-improper-output-activation": "improper-output-activation",
        "autotrainer-improper-loss": "improper-loss",
        "autotrainer-abnormal-data": "abnormal-data",
        "bttackler-abnormal-gradient-values": "exploding-gradient non-finite",
        "bttackler-exponentially-amplified-gradients": "exploding-gradient",
        "bttackler-exponentially-reduced-gradients": "vanishing-gradient",
        "bttackler-passive-loss-changes": "loss-plateau slow-convergence learning-rate-too-low",
        "bttackler-low-activation-ratio": "dying-relu",
        "bttackler-unexpected-loss-changes": "oscillating-loss loss-explosion",
        "bttackler-no-more-gain": "no-more-gain",
        "training-doctor-gradient-explosion": "exploding-gradient",
        "training-doctor-vanishing-gradient": "vanishing-gradient",
        "training-doctor-gradient-instability": "gradient-instability",
        "training-doctor-loss-plateau": "loss-plateau",
        "training-doctor-loss-explosion": "loss-explosion",
        "training-doctor-overfitting": "overfitting",
    }.items()
}


def meanings(slug: str) -> frozenset[str]:
    """The names of ours that a finding of any rule set stands for."""
    return MEANINGS.get(slug, frozenset({slug}))


@cache
def vocabulary(rule_set: str) -> frozenset[str]:
    """Every sickness that a rule set has a name for."""
    kinds = rules(DEFAULT if rule_set == SPARSE else rule_set)
    return frozenset(name for kind in kinds for name in meanings(kind.slug))


@cache
def symptoms() -> frozenset[str]:
    """The sicknesses that are facts about a run and not causes of anything else."""
    return frozenset(kind.slug for kind in rules(DEFAULT) if kind.kind is Kind.SYMPTOM)


@cache
def codes() -> dict[str, str]:
    """The codes of our detectors by slug, in their order."""
    return {kind.slug: kind.code for kind in rules(DEFAULT)}


def family(slug: str) -> str:
    """The letter of the code of a sickness."""
    return codes()[slug][0]
