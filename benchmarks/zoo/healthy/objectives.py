"""Many losses that are right for what they are used for."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .. import bases
from ..data import changes
from ..losses import ClampedBinaryLoss, Focal, SmoothContrast, VariationalLoss
from ..models import mlp
from ..optimizers import adam, adamw, cosine, sgd
from ..plan import Plan
from ..recipe import Recipe, healthy
from ..special import (
    Adversaries,
    Autoencoder,
    MomentDistance,
    adversarial_loop,
    adversary_optimizers,
)


def _attributes(y: Tensor) -> Tensor:
    """Four yes-or-no questions about a digit: several may be true."""
    return torch.stack([y % 2 == 0, y > 4, y % 3 == 0, y < 2], 1).float()


def _multi_label(plan: Plan, inputs: int) -> Plan:
    return plan.but(
        source=plan.data(changes.targets(_attributes)),
        model=partial(mlp, inputs, 4, hidden=48),
        loss=bases.YES_OR_NO,
        scoring="logits",
    )


def _rare(plan: Plan, inputs: int) -> Plan:
    """One digit against the nine others, with a weight for the rare one."""
    return plan.but(
        source=plan.data(changes.targets(lambda y: (y == 3).float().reshape(-1, 1))),
        model=partial(mlp, inputs, 1, dropout=0.3),
        optimizer=adam(2e-3, weight_decay=1e-3),
        scheduler=cosine(),
        loss=nn.BCEWithLogitsLoss(pos_weight=torch.tensor([5.0])),
        scoring="logits",
        hand_in_loss=True,
    )


def _one_hot_squares(plan: Plan) -> Plan:
    return plan.but(
        source=plan.data(changes.one_hot(10)), loss=F.mse_loss, scoring="classes-one-hot"
    )


def _log_softmax(plan: Plan) -> Plan:
    return plan.but(model=plan.remodel(output=partial(nn.LogSoftmax, dim=-1)), loss=nn.NLLLoss())


def _probability(plan: Plan) -> Plan:
    return plan.but(
        model=plan.remodel(output=nn.Sigmoid), loss=nn.BCELoss(), scoring="probabilities"
    )


def _autoencoder(plan: Plan, inputs: int, hidden: int) -> Plan:
    return plan.but(
        architecture="other",
        source=plan.data(changes.inputs_as_targets),
        model=partial(Autoencoder, inputs, hidden),
        loss=VariationalLoss(),
        optimizer=adam(3e-3),
        scoring="none",
        report="loss",
        hand_in_loss=True,
        epochs=12,
    )


def _contrast(plan: Plan, inputs: int) -> Plan:
    return plan.but(
        architecture="other",
        source=plan.data(changes.two_views(0.5)),
        model=partial(mlp, inputs, 16, hidden=64),
        loss=SmoothContrast(),
        optimizer=adam(2e-3),
        scoring="none",
        report="loss",
    )


def _adversaries(plan: Plan, width: int, rate: float = 1e-3) -> Plan:
    return plan.but(
        architecture="other",
        source=plan.data(changes.inputs_as_targets),
        model=partial(Adversaries, width),
        loss=MomentDistance(),
        optimizer=adversary_optimizers(rate),
        scoring="none",
        report="nothing",
        batch=64,
        epochs=30,
        loop=adversarial_loop,
        steps_per_batch=2,
    )


_IMDB = bases.TRANSFORMER_IMDB.but(optimizer=adamw(3e-3, weight_decay=0.3), scheduler=cosine())
_SMOOTH = nn.CrossEntropyLoss(label_smoothing=0.1)

RECIPES: list[Recipe] = [
    *healthy("label-smoothing", bases.FC_DIGITS.but(loss=_SMOOTH, hand_in_loss=True), 5),
    *healthy("label-smoothing", bases.FC_MNIST.but(loss=_SMOOTH, hand_in_loss=True), 11),
    *healthy("focal", bases.CNN_MNIST.but(loss=Focal()), 9),
    *healthy("focal", bases.CNN_DIGITS.but(loss=Focal()), 11),
    *healthy("multi-label", _multi_label(bases.FC_DIGITS, 64), 6),
    *healthy(
        "multi-label",
        _multi_label(bases.FC_MNIST.but(optimizer=adam(3e-3), scheduler=cosine()), 196),
        12,
    ),
    *healthy("rare-class", _rare(bases.FC_DIGITS, 64), 7),
    *healthy("rare-class", _rare(bases.FC_MNIST, 196), 13),
    *healthy("one-hot-squares", _one_hot_squares(bases.FC_DIGITS), 8),
    *healthy(
        "one-hot-squares", _one_hot_squares(bases.CNN_DIGITS.but(optimizer=sgd(0.2, 0.9))), 12
    ),
    *healthy("log-softmax", _log_softmax(bases.FC_CIRCLES), 0),
    *healthy("log-softmax", _log_softmax(bases.FC_BLOBS.but(optimizer=sgd(0.05))), 11),
    *healthy("sigmoid-bce", _probability(bases.FC_CIRCLES_BINARY), 1),
    *healthy("sigmoid-bce", _probability(_IMDB), 14),
    *healthy("l1", bases.FC_FRIEDMAN.but(loss=nn.L1Loss(), hand_in_loss=True), 7),
    *healthy("huber", bases.FC_EXCHANGE.but(loss=nn.HuberLoss()), 17),
    *healthy(
        "clamped-bce",
        bases.FC_CIRCLES_BINARY.but(
            model=bases.FC_CIRCLES_BINARY.remodel(output=nn.Sigmoid),
            loss=ClampedBinaryLoss(),
            scoring="probabilities",
            hand_in_loss=True,
        ),
        2,
    ),
    *healthy("autoencoder", _autoencoder(bases.FC_DIGITS, 64, 48), 0),
    *healthy("autoencoder", _autoencoder(bases.FC_MNIST, 196, 64), 10),
    *healthy("contrast", _contrast(bases.FC_DIGITS, 64), 1),
    *healthy("contrast", _contrast(bases.FC_MNIST, 196), 11),
    *healthy("adversaries", _adversaries(bases.FC_CIRCLES, 2), 2),
    *healthy("adversaries", _adversaries(bases.FC_BLOBS, 8), 12),
]
