"""Applies a remedy to a plan of the zoo, as a user who follows the advice would.

An applier gets the plan and the values of the remedy and gives the changed plan, or None where
the advice cannot be followed without a person (`check-data`) or a live run (`roll-back`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
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

from paramedic.treat.surgery import (
    Operation,
    Refusal,
    activations,
    add_dropout,
    add_output_activation,
    insert_normalisation,
    reinitialise,
    remove_output_activation,
    replace_activations,
    resize_output,
)
from paramedic.types import Remedy

from . import data, optimizing, surgery

Values = Mapping[str, Any]
Applier = Callable[[Plan, Values], Plan | None]

_KINDS = {"LayerNorm": "layer"}  # any other follows from what is normalised
_EXAMPLES = 16  # samples that an operation is verified on


def apply(plan: Plan, remedy: Remedy) -> Plan | None:
    """The plan with the remedy, or None if it cannot be applied by a machine."""
    applier = APPLIERS.get(remedy.slug)
    return None if applier is None else applier(plan, remedy.args)


def _operated(plan: Plan, edit: Callable[[nn.Module, Tensor], Operation]) -> Plan | None:
    """The fresh model, after what the plan does to it, is operated on; None if that is refused."""
    example = plan.source.draw(0).inputs[: min(plan.batch, _EXAMPLES)]

    def model() -> nn.Module:
        made = plan.model()
        if plan.prepare:
            plan.prepare(made)
        return edit(made, example).model

    try:
        model()
    except Refusal:
        return None
    return plan.but(model=model, prepare=None)


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


def _replace_activation(plan: Plan, values: Values) -> Plan | None:
    new, wanted = values["new"], values["old"].lower()

    def edit(model: nn.Module, example: Tensor) -> Operation:
        found = activations(model, example)
        names = [name for name in values["layers"] if found.get(name) == wanted]
        done = replace_activations(model, example, new, which=names)
        if "norm" not in values:
            return done
        return insert_normalisation(done.model, example, kind=_KINDS.get(values["norm"]))

    return _operated(plan, edit)


def _output_activation(plan: Plan, values: Values) -> Plan | None:
    if isinstance(plan.loss, NextSymbolAfter):
        return plan.but(loss=next_symbol)
    function = values["function"].removeprefix("nn.").partition("(")[0]
    if function == "Identity":
        return _operated(plan, remove_output_activation)
    return _operated(plan, partial(add_output_activation, name=function))


def _reinitialise(plan: Plan, values: Values) -> Plan | None:
    def edit(model: nn.Module, example: Tensor) -> Operation:
        return reinitialise(model, example, scheme=values["scheme"], seed=torch.initial_seed())

    return _operated(plan, edit)


def _normalise(plan: Plan, values: Values) -> Plan | None:
    return _operated(plan, partial(insert_normalisation, kind=_KINDS.get(values["kind"])))


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


def _loss_function(plan: Plan, values: Values) -> Plan | None:
    if "classes" not in values:
        return plan.but(loss=_LOSSES[values["loss"]])
    labels = changes.targets(lambda y: y.long().flatten())
    return _operated(
        plan.but(loss=F.cross_entropy, source=plan.data(labels), scoring="classes"),
        partial(resize_output, outputs=values["classes"]),
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


def _dropout(plan: Plan, values: Values) -> Plan | None:
    if "dropout" in values:
        return _operated(plan, partial(add_dropout, p=values["dropout"]))
    return _operated(plan, partial(add_dropout, raise_only=True))


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
    return plan.but(model=partial(_guarded, plan)) if surgery.guard(plan.model()) else None


def _guarded(plan: Plan) -> nn.Module:
    model = plan.model()
    surgery.guard(model)
    return model


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
