"""The training loop that most runs of the zoo share; it reads like the ones users write."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from .plan import Batch, Plan, Run
from .scoring import ACCURACIES, score

SAMPLES_TO_EVALUATE = 300


class Monitor(Protocol):
    """What a loop asks of a monitor; `paramedic.watch` returns one."""

    def epoch(self, /, **values: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Numbers:
    """Losses and scores on training and validation samples at one moment."""

    train_loss: float
    val_loss: float
    train_score: float
    val_score: float


def train(run: Run, monitor: Monitor) -> None:
    """Train by the plan of the run, reporting after each epoch what the plan wants reported."""
    plan, model = run.plan, run.model
    scheduler = plan.scheduler(run.optimizers[0], plan.steps) if plan.scheduler else None
    forward = torch.autocast("cpu", plan.autocast) if plan.autocast else nullcontext()
    step = 0
    for epoch in range(plan.epochs):
        set_mode(model, plan, epoch)
        if plan.zero_grad == "epoch":
            model.zero_grad()
        for place, (inputs, targets) in enumerate(batches(run)):
            if plan.tamper:
                inputs, targets = plan.tamper(step, (inputs, targets))
            loss = _loss(plan, forward, model, inputs, targets)
            loss.backward()
            if (place + 1) % plan.accumulate == 0:
                _step(run)
                step += 1
                if scheduler:
                    scheduler.step()
        report(run, monitor)


def _loss(
    plan: Plan, forward: AbstractContextManager[Any], model: nn.Module, inputs: Tensor, y: Tensor
) -> Tensor:
    with forward:
        loss = plan.loss(model(inputs), y)
    return loss / plan.accumulate


def _step(run: Run) -> None:
    if run.plan.clip:
        nn.utils.clip_grad_norm_(run.model.parameters(), run.plan.clip)
    for optimizer in run.optimizers:
        optimizer.step()
    if run.plan.zero_grad == "step":
        for optimizer in run.optimizers:
            optimizer.zero_grad()


def set_mode(model: nn.Module, plan: Plan, epoch: int) -> None:
    """Training mode, unless the plan has that wrong."""
    if plan.mode == "eval":
        model.eval()
    elif plan.mode == "train" or epoch == 0:
        model.train()
        keep_frozen_norms(model)


def keep_frozen_norms(model: nn.Module) -> None:
    """Frozen batch normalisation keeps its statistics, as is right in fine-tuning."""
    for module in model.modules():
        frozen = not any(parameter.requires_grad for parameter in module.parameters())
        if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d) and frozen:
            module.eval()


def batches(run: Run) -> Iterator[Batch]:
    """The batches of an epoch; an incomplete last one is dropped."""
    split, size = run.split, run.plan.batch
    order = run.plan.order(split.targets, run.generator)
    for begin in range(0, len(order) - size + 1, size):
        chosen = order[begin : begin + size]
        yield split.inputs[chosen], split.targets[chosen]


def report(run: Run, monitor: Monitor) -> None:
    """What the user hands in at the end of an epoch."""
    if run.plan.report == "nothing":
        return
    numbers = evaluate(run)
    values = {"train_loss": numbers.train_loss, "val_loss": numbers.val_loss}
    if run.plan.report == "accuracy" and run.plan.scoring in ACCURACIES:
        values |= {"train_acc": numbers.train_score, "val_acc": numbers.val_score}
    monitor.epoch(**values)


def evaluate(run: Run) -> Numbers:
    """Losses and scores in evaluation mode; the model is left in it, as users leave it."""
    split = run.split
    chosen = slice(0, SAMPLES_TO_EVALUATE)
    train_loss, train_score = _on(run, split.inputs[chosen], split.targets[chosen])
    val_loss, val_score = _on(run, split.validation_inputs, split.validation_targets)
    return Numbers(train_loss, val_loss, train_score, val_score)


@torch.no_grad()
def _on(run: Run, inputs: Tensor, targets: Tensor) -> tuple[float, float]:
    run.model.eval()
    output = run.model(inputs)
    loss = run.plan.loss(output, targets).item()
    return loss, score(run.plan.scoring, output, targets) if targets.numel() else math.nan
