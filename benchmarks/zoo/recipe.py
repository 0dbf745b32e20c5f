"""What a recorded run is known by: its name, what is wrong with it, and how to build it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .plan import Plan, Run

FIRST_JUDGING_SEED = 20
# Architectures that once were there to judge on, until detectors were tuned on them.
TUNED_ON = frozenset(
    {
        "funnel-fc",
        "vgg",
        "stacked-gru",
        "gpt",
        "dense-fc",
        "maxout",
        "lenet",
        "tcn",
        "vit",
        "separable-cnn",
        "deep-sets",
        "wide-fc",
        "highway",
        "two-towers",
        "bi-lstm",
        "crossed",
        "gated-fc",
        "squeeze-cnn",
        "pointer",
        "graph-attention",
        "inception",
        "asking",
        "looped-fc",
        "coordinate-cnn",
        "relation",
        "lstm-model",
        "post-norm-encoder",
        "transformer-regressor",
        "wavenet",
        "state-space",
        "linear-attention",
        "hyper-fc",
        "clockwork-rnn",
        "field-attention",
    }
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One run of the zoo.

    `slug` is empty for a healthy run. `accepted` are other names that would also be right for
    its sickness. `half` keeps the runs on which detectors are tuned apart from those on which
    they are judged. The fault exists from step `onset` on. `twin` builds the same run without
    the fault.
    """

    name: str
    slug: str
    accepted: tuple[str, ...]
    architecture: str
    dataset: str
    seed: int
    half: str
    steps: int
    onset: int
    build: Callable[[], Run]
    twin: Callable[[], Run] | None = None


def half_of(architecture: str, seed: int) -> str:
    """A run is for judging if its seed is high enough and its architecture was not tuned on."""
    judging = seed >= FIRST_JUDGING_SEED and architecture not in TUNED_ON
    return "judging" if judging else "tuning"


def healthy(form: str, plan: Plan, *seeds: int) -> list[Recipe]:
    """A plan that learns, once for each seed."""
    return [_recipe("", form, plan, seed) for seed in seeds]


def sick(
    slug: str,
    form: str,
    sound: Plan,
    seeds: int | Iterable[int],
    /,
    accepted: tuple[str, ...] = (),
    onset: int = 0,
    **fault: Any,
) -> list[Recipe]:
    """A sound plan with a fault in it, once for each seed; the fault is what is replaced."""
    plan = sound.but(**fault)
    every = [seeds] if isinstance(seeds, int) else list(seeds)
    return [_recipe(slug, form, plan, seed, accepted, onset, sound) for seed in every]


def _recipe(  # noqa: PLR0913
    slug: str,
    form: str,
    plan: Plan,
    seed: int,
    accepted: tuple[str, ...] = (),
    onset: int = 0,
    sound: Plan | None = None,
) -> Recipe:
    dataset = plan.source.name
    return Recipe(
        name=f"{slug or 'healthy'}/{plan.architecture}-{dataset}-{form}-s{seed}",
        slug=slug,
        accepted=accepted,
        architecture=plan.architecture,
        dataset=dataset,
        seed=seed,
        half=half_of(plan.architecture, seed),
        steps=plan.steps,
        onset=onset,
        build=partial(plan.build, seed),
        twin=partial(sound.build, seed) if sound else None,
    )
