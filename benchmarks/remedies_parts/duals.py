"""Runs with two faults at once, and the same without either."""

from __future__ import annotations

import math
from typing import Any

from torch import nn
from zoo import bases
from zoo.data import changes
from zoo.faults import Tamper, hidden_biases, scaled_weights, spiked_inputs, spiked_targets
from zoo.optimizers import adam, sgd
from zoo.plan import Plan

_DIGITS = bases.FC_DIGITS.but(optimizer=sgd(0.1, 0.9))
_DEEP = bases.FC_DIGITS.but(model=bases.FC_DIGITS.remodel(depth=4))
_FRIEDMAN = bases.FC_FRIEDMAN.but(optimizer=sgd(0.05))
_DROPPED = bases.FC_DIGITS.but(model=bases.FC_DIGITS.remodel(dropout=0.3))


def _after(first: Tamper, second: Tamper) -> Tamper:
    """Both, one after the other."""
    return lambda step, batch: second(step, first(step, batch))


def _dual(sound: Plan, **faults: Any) -> tuple[Plan, Plan]:
    return sound.but(**faults), sound


DUALS: dict[str, tuple[Plan, Plan]] = {
    "dual/rate-x50-and-inputs-x100": _dual(
        _DIGITS, optimizer=sgd(5.0, 0.9), source=_DIGITS.data(changes.scaled(100.0, 128.0))
    ),
    "dual/large-weights-and-rate-x25": _dual(
        _DEEP, prepare=scaled_weights(6.0), optimizer=adam(0.05)
    ),
    "dual/spiked-targets-and-rate-x20": _dual(
        _FRIEDMAN, tamper=spiked_targets(45, 80.0), optimizer=sgd(1.0)
    ),
    "dual/spiked-inputs-and-large-weights": _dual(
        _DIGITS, tamper=spiked_inputs(37, 60.0), prepare=scaled_weights(3.0)
    ),
    "dual/never-zeroed-and-rate-x10": _dual(
        bases.FC_CIRCLES, zero_grad="never", optimizer=sgd(3.0)
    ),
    "dual/shut-relus-and-rate-x50": _dual(
        _DIGITS, prepare=hidden_biases(-6.0), optimizer=sgd(5.0, 0.9)
    ),
    "dual/deep-sigmoids-and-rate-1e-4": _dual(
        _DIGITS,
        model=_DIGITS.remodel(depth=10, activation=nn.Sigmoid),
        optimizer=sgd(1e-4, 0.9),
    ),
    "dual/spiked-targets-and-spiked-inputs": _dual(
        _FRIEDMAN, tamper=_after(spiked_targets(45, 80.0), spiked_inputs(31, 40.0))
    ),
    "dual/heavy-tails-and-rate-x10": _dual(
        _FRIEDMAN, source=_FRIEDMAN.data(changes.heavy_tails(0.004, 60.0)), optimizer=sgd(0.5)
    ),
    "dual/outliers-and-nan-inputs": _dual(
        _FRIEDMAN,
        source=_FRIEDMAN.data(changes.outliers(0.01, 1e5), changes.outliers(0.01, math.nan)),
    ),
    "dual/few-samples-and-eval-mode": _dual(
        _DROPPED, source=_DROPPED.source.sized(160), batch=16, epochs=30, mode="eval"
    ),
    "dual/eval-mode-and-rate-x50": _dual(_DROPPED, mode="eval", optimizer=adam(0.1)),
}
