"""What is promised of the zoo, and that its judging half can be built and learns something."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

pytest.importorskip("sklearn")

from benchmarks.zoo.catalogue import HEALTHY_PER_HALF, SICK_PER_HALF, SLUGS, check, recipes
from benchmarks.zoo.data.source import Split
from benchmarks.zoo.learning import guess, learned
from benchmarks.zoo.recipe import FIRST_JUDGING_SEED, TUNED_ON, Recipe, half_of
from benchmarks.zoo.training import evaluate, train
from benchmarks.zoo.worker import Listener

FROM_FILES = {
    "mnist", "cifar10", "imdb", "reuters", "chars", "exchange",
    "moby", "austen", "enwik8", "wikitext2", "critics", "whale-words",
}  # fmt: skip


def _every() -> list[Recipe]:
    return list(recipes().values())


def _of(half: str) -> list[Recipe]:
    return [recipe for recipe in _every() if recipe.half == half]


def _one_per_pair() -> list[Recipe]:
    """A healthy run of the judging half for each pair whose data need no file.

    Adversaries and actors are left out: their losses need not fall at first.
    """
    chosen = [r for r in _of("judging") if not r.slug and r.dataset not in FROM_FILES]
    chosen = [r for r in chosen if r.architecture not in ("adversaries", "actor-critic")]
    return list({(r.architecture, r.dataset): r for r in reversed(chosen)}.values())


@pytest.mark.parametrize("half", ["tuning", "judging"])
def test_each_half_has_every_sickness_and_many_healthy_runs(half: str) -> None:
    counts = Counter(recipe.slug for recipe in _of(half))
    assert set(counts) == {"", *SLUGS}
    assert counts[""] >= HEALTHY_PER_HALF
    assert min(counts[slug] for slug in SLUGS) >= SICK_PER_HALF


def test_the_halves_share_no_architecture() -> None:
    tuning = {recipe.architecture for recipe in _of("tuning")}
    assert tuning.isdisjoint(recipe.architecture for recipe in _of("judging"))


def test_only_high_seeds_of_architectures_that_were_not_tuned_on_judge() -> None:
    for recipe in _every():
        fit = recipe.seed >= FIRST_JUDGING_SEED and recipe.architecture not in TUNED_ON
        assert fit == (recipe.half == "judging"), recipe.name


def test_an_architecture_that_was_tuned_on_is_in_the_tuning_half_whatever_its_seed() -> None:
    assert half_of("vgg", FIRST_JUDGING_SEED) == "tuning"
    assert half_of("mixer", FIRST_JUDGING_SEED) == "judging"
    assert half_of("mixer", FIRST_JUDGING_SEED - 1) == "tuning"


def test_every_architecture_that_was_tuned_on_has_runs() -> None:
    assert {recipe.architecture for recipe in _every()} >= TUNED_ON


def test_a_sick_run_has_a_sound_twin_and_a_healthy_one_needs_none() -> None:
    for recipe in _every():
        assert (recipe.twin is not None) == bool(recipe.slug), recipe.name
        assert recipe.slug not in recipe.accepted, recipe.name
        assert recipe.onset < recipe.steps, recipe.name


def test_two_runs_of_one_name_are_refused() -> None:
    every = _every()
    with pytest.raises(ValueError, match="same name"):
        check([*every, every[0]])


def test_a_pair_in_both_halves_is_refused() -> None:
    stray = replace(_of("judging")[0], name="stray", half="tuning")
    with pytest.raises(ValueError, match="In both halves"):
        check([*_every(), stray])


def test_a_sickness_without_enough_runs_is_refused() -> None:
    kept = [r for r in _every() if (r.slug, r.half) != ("overfitting", "judging")]
    with pytest.raises(ValueError, match="judging half has 0 runs of `overfitting`"):
        check(kept)


def test_an_unknown_name_is_refused() -> None:
    stray = replace(_every()[0], name="stray", accepted=("hiccups",))
    with pytest.raises(ValueError, match="No such sickness: hiccups"):
        check([*_every(), stray])


@pytest.mark.parametrize("recipe", _one_per_pair(), ids=lambda recipe: recipe.name)
def test_a_run_is_the_same_each_time_and_learns_from_its_first_epochs(recipe: Recipe) -> None:
    first, second = recipe.build(), recipe.build()
    for one, other in zip(first.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)
    assert torch.equal(first.split.inputs, second.split.inputs)
    before = evaluate(first).train_loss
    short = replace(first, plan=first.plan.but(epochs=2))
    (first.plan.loop or train)(short, Listener())
    assert evaluate(first).train_loss < before


def _numbers(kind: str, score: float, guess: float, last: float = 1.0) -> dict[str, Any]:
    losses = {"first": {"val_loss": 2.0}, "last": {"val_loss": last, "val_score": score}}
    return {"scoring": kind, "guess": guess, **losses}


@pytest.mark.parametrize(
    ("kind", "score", "guess", "expected"),
    [
        ("classes", 0.30, 0.1, True),
        ("classes", 0.14, 0.1, False),  # within the noise of 300 samples
        ("logits", 0.58, 0.5, False),
        ("logits", 0.60, 0.5, True),
        ("regression", 0.04, 0.0, False),
        ("regression", 0.06, 0.0, True),
        ("regression", math.nan, 0.0, False),
        ("classes", 0.9, math.nan, False),  # nothing is known of its targets
    ],
)
def test_a_run_has_learned_if_it_is_better_than_a_constant_answer(
    kind: str, score: float, guess: float, expected: bool
) -> None:
    assert learned(_numbers(kind, score, guess)) is expected


@pytest.mark.parametrize(("last", "expected"), [(1.0, True), (1.9, False), (math.nan, False)])
def test_what_is_not_right_or_wrong_has_learned_if_its_loss_fell(
    last: float, expected: bool
) -> None:
    assert learned(_numbers("none", math.nan, math.nan, last)) is expected


def _run(kind: str, targets: torch.Tensor) -> Any:
    model = torch.nn.Sequential(torch.nn.Embedding(4, 8), torch.nn.Linear(8, 4))
    split = Split(targets, targets, targets, targets)
    return SimpleNamespace(plan=SimpleNamespace(scoring=kind), split=split, model=model)


def test_the_best_constant_answer() -> None:
    classes = torch.tensor([0, 0, 0, 1, 2, 2])
    assert guess(_run("classes", classes)) == pytest.approx(0.5)
    one_hot = torch.nn.functional.one_hot(classes).float()
    assert guess(_run("classes-one-hot", one_hot)) == pytest.approx(0.5)
    assert guess(_run("logits", torch.tensor([[1.0], [1.0], [0.0]]))) == pytest.approx(2 / 3)
    assert guess(_run("regression", torch.randn(9))) == 0.0
    assert guess(_run("language", torch.tensor([[0, 1, 0, 1]]))) == pytest.approx(0.5)
    assert math.isnan(guess(_run("regression", torch.tensor([1.0, math.nan]))))
    assert math.isnan(guess(_run("none", torch.randn(3))))
