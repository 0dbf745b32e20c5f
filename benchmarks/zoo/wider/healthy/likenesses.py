"""Teachers, pairs, views, codes and players: runs whose targets are other outputs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import nn

from ... import bases as first
from ...data import changes
from ...data.more_points import PAIR_FEATURES, pairs
from ...data.practised import corridor, spring
from ...models import mlp
from ...optimizers import adam, adamw, cosine, sgd
from ...plan import Plan, Run
from ...recipe import Recipe, healthy
from ...special import Adversaries, MomentDistance, adversary_optimizers
from ...training import Monitor, train
from ..assembled import (
    CosineHead,
    Guessing,
    Siamese,
    Spring,
    Squeezed,
    Student,
    TwoEncoders,
    WarmedAutoencoder,
    Weighed,
    Worths,
)
from ..likelihoods import (
    Agreement,
    Apart,
    Doubted,
    Matched,
    Sparse,
    Spread,
    Taught,
    WarmedDivergence,
)
from ..loops import Silent, augmented
from ..players import (
    believed,
    doubting_critic,
    liked,
    margin_critic,
    playing,
)
from ..stepping import Stepping, copied_every, following, worth_after

_OTHER = {"architecture": "other", "scoring": "none", "report": "loss"}
_DIGITS = first.FC_DIGITS.but(**_OTHER)
_MNIST = first.FC_MNIST.but(**_OTHER, optimizer=adam(2e-3), batch=32)


def _teach(plan: Plan, seed: int) -> Callable[[Student], None]:
    """The teacher of a student is trained before."""

    def prepare(model: Student) -> None:
        state = torch.random.get_rng_state()
        run = plan.but(model=plan.remodel(hidden=64)).build(seed)
        train(run, Silent())
        model.teacher.load_state_dict(run.model.state_dict())
        torch.random.set_rng_state(state)

    return prepare


LEARNED_FROM_OTHERS: list[Recipe] = [
    *healthy(
        "student",
        _DIGITS.but(
            model=partial(Student, 64, 10),
            prepare=_teach(first.FC_DIGITS, 3),
            loss=Taught(),
            optimizer=adam(3e-3),
        ),
        3,
    ),
    *healthy(
        "student",
        _MNIST.but(
            model=partial(Student, 196, 10, hidden=32),
            prepare=_teach(first.FC_MNIST.but(epochs=5), 4),
            loss=Taught(2.0),
            optimizer=sgd(0.01, 0.9),
            epochs=6,
        ),
        4,
    ),
    *healthy(
        "two-encoders", _DIGITS.but(model=partial(TwoEncoders, 64), loss=Matched(), epochs=8), 0
    ),
    *healthy(
        "two-encoders",
        _MNIST.but(model=partial(TwoEncoders, 196), loss=Matched(), epochs=6, scheduler=cosine()),
        1,
    ),
    *healthy(
        "siamese",
        Plan(
            "siamese",
            pairs(),
            partial(Siamese, PAIR_FEATURES),
            Apart(),
            adam(2e-3),
            "none",
            report="loss",
            epochs=8,
        ),
        0,
    ),
    *healthy(
        "stopped-gradient",
        _DIGITS.but(
            source=first.FC_DIGITS.data(changes.two_views(0.4)),
            model=partial(Guessing, 64),
            loss=Agreement(),
            optimizer=sgd(0.05, 0.9),
            batch=64,
        ),
        2,
    ),
    *healthy(
        "spread-out",
        _DIGITS.but(
            source=first.FC_DIGITS.data(changes.two_views(0.3)),
            model=partial(mlp, 64, 16, hidden=64),
            loss=Spread(),
            batch=64,
        ),
        4,
    ),
    *healthy("cosine-head", first.FC_DIGITS.but(model=partial(CosineHead, 64, 10)), 17),
    *healthy(
        "two-doubted-tasks",
        _DIGITS.but(model=partial(Weighed, 64, 10), loss=Doubted(), epochs=12),
        9,
    ),
]

_REBUILT = _DIGITS.but(source=first.FC_DIGITS.data(changes.inputs_as_targets))

REBUILT: list[Recipe] = [
    *healthy(
        "sparse-middle", _REBUILT.but(model=partial(Squeezed, 64), loss=Sparse(), epochs=12), 0
    ),
    *healthy(
        "sparse-middle-24",
        _REBUILT.but(
            model=partial(Squeezed, 64, middle=24),
            loss=Sparse(),
            optimizer=adamw(2e-3),
            scheduler=cosine(),
        ),
        1,
    ),
    *healthy(
        "denoising",
        _REBUILT.but(
            model=partial(mlp, 64, 64, hidden=48),
            loss=nn.MSELoss(),
            tamper=augmented(0.5),
            epochs=12,
        ),
        2,
    ),
    *healthy(
        "warmed-divergence",
        _REBUILT.but(
            model=partial(WarmedAutoencoder, 64, 48, steps=300), loss=WarmedDivergence(), epochs=14
        ),
        3,
    ),
    *healthy(
        "warmed-divergence-x2",
        _MNIST.but(
            source=first.FC_MNIST.data(changes.inputs_as_targets),
            model=partial(WarmedAutoencoder, 196, 64, steps=200, weight=2.0),
            loss=WarmedDivergence(),
            epochs=8,
        ),
        5,
    ),
]


def _players(plan: Plan, loop: Callable[[Run, Monitor], None], rate: float) -> Plan:
    return plan.but(
        **_OTHER | {"report": "nothing"},
        source=plan.data(changes.inputs_as_targets),
        model=partial(Adversaries, 2),
        loss=MomentDistance(),
        optimizer=adversary_optimizers(rate),
        batch=64,
        epochs=40,
        loop=loop,
        steps_per_batch=2,
    )


_WORTHS = Plan(
    "worths", corridor(), Worths, nn.MSELoss(), adam(5e-3), "regression", batch=64, epochs=20
)
_SPRING = Plan(
    "solver", spring(), Spring, nn.MSELoss(), adam(5e-3), "none", report="loss", epochs=16
)

PLAYED: list[Recipe] = [
    *healthy("margin-players", _players(first.FC_CIRCLES, playing(margin_critic, liked), 1e-3), 0),
    *healthy(
        "doubting-players", _players(first.FC_CIRCLES, playing(doubting_critic, believed), 5e-4), 2
    ),
    *healthy(
        "slow-copy",
        _WORTHS.but(loop=Stepping(objective=worth_after, after=copied_every(20))),
        0,
    ),
    *healthy(
        "following",
        _WORTHS.but(
            loop=Stepping(objective=worth_after, after=following),
            loss=nn.SmoothL1Loss(),
            model=partial(Worths, activation=nn.Tanh),
        ),
        1,
    ),
    *healthy("equation", _SPRING.but(scheduler=cosine()), 0),
    *healthy(
        "equation-silu",
        _SPRING.but(
            model=partial(Spring, activation=nn.SiLU), optimizer=adam(3e-3), scheduler=cosine()
        ),
        1,
    ),
]

RECIPES = LEARNED_FROM_OTHERS + REBUILT + PLAYED
