"""Applies a remedy to a plan of the zoo, as a user who follows the advice would.

An applier gets the plan and the values of the remedy and gives the changed plan, or None where
the advice cannot be followed without a person (`check-data`) or a live run (`roll-back`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn
from zoo.data import changes
from zoo.losses import (
    NextSymbolAfter,
    exponential_loss,
    log_likelihood,
    next_symbol,
    relative_error,
)
from zoo.optimizers import adam, warmup
from zoo.plan import Plan, shuffled

from paramedic.types import Remedy

from . import data, optimizing, surgery

Values = Mapping[str, Any]
Applier = Callable[[Plan, Values], Plan | None]


def apply(plan: Plan, remedy: Remedy) -> Plan | None:
    """The plan with the remedy, or None if it cannot be applied by a machine."""
    applier = APPLIERS.get(remedy.slug)
    return None if applier is None else applier(plan, remedy.args)


def _operated(plan: Plan, operation: Callable[[nn.Module], Any]) -> Plan:
    """The fresh model, after what the plan does to it, is operated on."""

    def prepare(model: nn.Module) -> None:
        if plan.prepare:
            plan.prepare(model)
        operation(model)

    return plan.but(prepare=prepare)


def _rate(plan: Plan, values: Values) -> Plan:
    factor = values["factor"]
    return plan.but(
        optimizer=optimizing.scaled(plan.optimizer, factor),
        scheduler=optimizing.scaled_schedule(plan.scheduler, factor),
    )


def _cap_rate(plan: Plan, values: Values) -> Plan:
    return plan.but(scheduler=optimizing.capped(plan.scheduler, values["most"]))


def _warm_up(plan: Plan, values: Values) -> Plan | None:
    if plan.scheduler is not None:
        return None
    return plan.but(scheduler=warmup(values["steps"] / max(plan.steps, 1)))


def _clip(plan: Plan, values: Values) -> Plan:
    return plan.but(clip=min(values["max_norm"], plan.clip or values["max_norm"]))


def _replace_activation(plan: Plan, values: Values) -> Plan:
    layers, old, new = values["layers"], values["old"], values["new"]

    def operation(model: nn.Module) -> None:
        surgery.replace_activations(model, layers, old, new)
        if "norm" in values:
            surgery.normalise(model, values["after"], values["norm"])

    return _operated(plan, operation)


def _output_activation(plan: Plan, values: Values) -> Plan:
    if isinstance(plan.loss, NextSymbolAfter):
        return plan.but(loss=next_symbol)
    functions = {
        "nn.Identity()": nn.Identity,
        "nn.Sigmoid()": nn.Sigmoid,
        "nn.LogSoftmax(dim=-1)": partial(nn.LogSoftmax, dim=-1),
    }
    make = functions[values["function"]]
    return plan.but(model=lambda: surgery.end_in(plan.model(), make()))


def _reinitialise(plan: Plan, values: Values) -> Plan:
    return _operated(plan, partial(surgery.reinitialise, scheme=values["scheme"]))


def _normalise(plan: Plan, values: Values) -> Plan | None:
    layers, kind = values["layers"], values["kind"]
    if not surgery.normalise(plan.model(), layers, kind):
        return None
    return _operated(plan, partial(surgery.normalise, layers=layers, kind=kind))


def _normalise_inputs(plan: Plan, values: Values) -> Plan:
    del values
    return plan.but(source=plan.data(data.normalised()))


def _drop_samples(plan: Plan, values: Values) -> Plan:
    of, limit = values["of"], values["limit"]
    tamper = data.GoodBatches(plan.tamper, of, limit) if plan.tamper else None
    return plan.but(source=plan.data(data.without_bad(of, limit)), tamper=tamper)


def _fix_labels(plan: Plan, values: Values) -> Plan | None:
    if "minus" not in values:
        return None
    change = changes.train_targets(lambda y: (y - values["minus"]) / values["over"])
    return plan.but(source=plan.data(change))


_LOSSES = {
    "mse": F.mse_loss,
    "binary-cross-entropy-with-logits": F.binary_cross_entropy_with_logits,
}


def _loss_function(plan: Plan, values: Values) -> Plan:
    if "classes" not in values:
        return plan.but(loss=_LOSSES[values["loss"]])
    labels = changes.targets(lambda y: y.long().flatten())
    return _operated(
        plan.but(loss=F.cross_entropy, source=plan.data(labels), scoring="classes"),
        lambda model: surgery.outputs(model, values["classes"]),
    )


def _fix_shape(plan: Plan, values: Values) -> Plan:
    del values

    def loss(output: Any, target: Tensor) -> Tensor:
        return plan.loss(output, target.squeeze(-1))

    return plan.but(loss=loss)


def _register(plan: Plan, values: Values) -> Plan:
    if values["reason"] == "gradient":
        return plan.but(model=lambda: surgery.attached(plan.model()))
    return plan.but(optimizer=optimizing.complete(plan.optimizer))


def _dropout(plan: Plan, values: Values) -> Plan:
    if "dropout" in values:
        return _operated(plan, partial(surgery.set_dropout, share=values["dropout"]))
    return _operated(plan, partial(surgery.more_dropout, **values))


def _weight_decay(plan: Plan, values: Values) -> Plan:
    return plan.but(optimizer=optimizing.decayed(plan.optimizer, values["weight_decay"]))


def _change_optimizer(plan: Plan, values: Values) -> Plan:
    if values["name"] == "Adam":
        return plan.but(optimizer=adam(values["lr"]))
    return plan.but(optimizer=optimizing.setting(plan.optimizer, momentum=values["momentum"]))


def _larger_model(plan: Plan, values: Values) -> Plan | None:
    for knobs in (dict(values), {"hidden": values["hidden"]}, {"width": values["hidden"]}):
        try:
            plan.remodel(**knobs)()
        except TypeError:
            continue
        return plan.but(model=plan.remodel(**knobs))
    return None


_GUARDED_LOSSES: dict[Any, Any] = {
    relative_error: lambda o, y: (
        (o - y).square().mean() / ((y - y.mean()).abs().mean().square() + 1e-8)
    ),
    exponential_loss: lambda o, y: (o.clamp(max=30).exp() - y * o).mean(),
    log_likelihood: lambda o, y: (
        -o.softmax(-1).gather(-1, y.unsqueeze(-1)).clamp_min(1e-8).log().mean()
    ),
}


def _guard(plan: Plan, values: Values) -> Plan | None:
    del values
    if plan.loss in _GUARDED_LOSSES:
        return plan.but(loss=_GUARDED_LOSSES[plan.loss])
    return _operated(plan, surgery.guard) if surgery.guard(plan.model()) else None


APPLIERS: dict[str, Applier] = {
    "lower-rate": _rate,
    "raise-rate": _rate,
    "cap-rate": _cap_rate,
    "warm-up": _warm_up,
    "clip-gradients": _clip,
    "zero-grad": lambda plan, values: plan.but(zero_grad="step"),
    "train-mode": lambda plan, values: plan.but(mode="train"),
    "replace-activation": _replace_activation,
    "output-activation": _output_activation,
    "reinitialise": _reinitialise,
    "add-normalisation": _normalise,
    "normalise-inputs": _normalise_inputs,
    "drop-bad-samples": _drop_samples,
    "fix-labels": _fix_labels,
    "shuffle-data": lambda plan, values: plan.but(order=shuffled),
    "loss-function": _loss_function,
    "robust-loss": lambda plan, values: plan.but(loss=nn.HuberLoss(delta=values["delta"])),
    "fix-shape": _fix_shape,
    "register-parameters": _register,
    "more-dropout": _dropout,
    "weight-decay": _weight_decay,
    "change-optimizer": _change_optimizer,
    "minimise-loss": lambda plan, values: plan.but(
        optimizer=optimizing.setting(plan.optimizer, maximize=False)
    ),
    "larger-batch": lambda plan, values: plan.but(batch=values["batch_size"]),
    "larger-model": _larger_model,
    "train-longer": lambda plan, values: plan.but(epochs=plan.epochs * values["times"]),
    "stop-early": lambda plan, values: plan.but(epochs=values["epoch"] + 1),
    "guard-operation": _guard,
    "skip-step": lambda plan, values: plan.but(optimizer=optimizing.skipping(plan.optimizer)),
}
