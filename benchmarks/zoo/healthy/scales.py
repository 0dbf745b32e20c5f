"""Inputs and targets in unusual units that do no harm."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn

from .. import bases
from ..data import changes
from ..data.texts import TOPICS, WORDS
from ..models import mlp
from ..optimizers import adam, cosine
from ..plan import Plan
from ..recipe import Recipe, healthy


def _inputs_to(plan: Plan, highest: float) -> Plan:
    return plan.but(source=plan.data(changes.zero_to(highest)))


def _targets(plan: Plan, factor: float, offset: float, rate: float) -> Plan:
    return plan.but(
        source=plan.data(changes.target_scaled(factor, offset)),
        optimizer=adam(rate),
        scheduler=cosine(),
    )


def _small_targets(plan: Plan) -> Plan:
    """Targets of deviation 0.001, and a last layer that starts small enough for them."""

    @torch.no_grad()
    def prepare(model: nn.Sequential) -> None:
        for parameter in model[-1].parameters():
            parameter.mul_(0.01)

    return _targets(plan, 1e-3, 0.0, 1e-3).but(prepare=prepare)


def _words_present(plan: Plan, outputs: int) -> Plan:
    return plan.but(
        source=plan.data(changes.words_present(WORDS)),
        model=partial(mlp, WORDS, outputs, hidden=16, depth=1, dropout=0.5),
        optimizer=adam(2e-3, weight_decay=1e-3),
        scheduler=cosine(),
    )


RECIPES: list[Recipe] = [
    *healthy("inputs-0-1", _inputs_to(bases.FC_DIGITS.but(optimizer=adam(5e-3)), 1.0), 9),
    *healthy("inputs-0-1", _inputs_to(bases.FC_MNIST, 1.0), 14),
    *healthy("counts-0-16", _inputs_to(bases.RNN_DIGITS, 16.0), 6),
    *healthy("counts-0-16", _inputs_to(bases.CNN_DIGITS.but(optimizer=adam(1e-3)), 16.0), 13),
    *healthy("targets-x30", _targets(bases.FC_FRIEDMAN, 30.0, 20.0, 2e-2), 8),
    *healthy("targets-x100", _targets(bases.FC_EXCHANGE, 100.0, 0.0, 2e-2), 18),
    *healthy("targets-x0.001", _small_targets(bases.FC_FRIEDMAN), 9),
    *healthy("targets-x0.001", _small_targets(bases.FC_EXCHANGE), 19),
    *healthy("zeros-and-ones", _words_present(bases.FC_IMDB, 1), 5),
    *healthy("zeros-and-ones", _words_present(bases.FC_REUTERS, TOPICS), 15),
]
