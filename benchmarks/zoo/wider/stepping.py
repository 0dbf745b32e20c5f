"""Loops in which something is done before or after each step, or each step is made of two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import ReduceLROnPlateau

from ..data.practised import PATIENCE, PLACES
from ..plan import Run
from ..training import Monitor, batches, evaluate, keep_frozen_norms, report

Act = Callable[[Run, int], None]


def _nothing(run: Run, count: int) -> None:
    del run, count


def _plain(run: Run, inputs: Tensor, targets: Tensor) -> Tensor:
    return run.plan.loss(run.model(inputs), targets)


@dataclass(frozen=True)
class Stepping:
    """The common loop, with something done before and after each step and at each epoch."""

    before: Act = _nothing
    after: Act = _nothing
    at_epoch: Act = _nothing
    objective: Callable[[Run, Tensor, Tensor], Tensor] = _plain

    def __call__(self, run: Run, monitor: Monitor) -> None:
        plan, optimizer, step = run.plan, run.optimizers[0], 0
        scheduler = plan.scheduler(optimizer, plan.steps) if plan.scheduler else None
        for epoch in range(plan.epochs):
            run.model.train()
            keep_frozen_norms(run.model)
            self.at_epoch(run, epoch)
            for inputs, targets in batches(run):
                optimizer.zero_grad()
                self.objective(run, inputs, targets).backward()
                self.before(run, step)
                optimizer.step()
                self.after(run, step)
                step += 1
                if scheduler:
                    scheduler.step()
            report(run, monitor)


def clipped_by_value(value: float) -> Stepping:
    """No entry of a gradient may be larger."""
    return Stepping(before=lambda run, _: nn.utils.clip_grad_value_(run.model.parameters(), value))


def noisy_gradients(deviation: float) -> Stepping:
    """A little noise on every gradient, less and less."""

    @torch.no_grad()
    def before(run: Run, step: int) -> None:
        for parameter in run.model.parameters():
            noise = torch.randn_like(parameter)
            parameter.grad += deviation * (1 + step) ** -0.5 * noise

    return Stepping(before=before)


def limited_norms(largest: float) -> Stepping:
    """The weights of a unit may not become longer than that."""

    @torch.no_grad()
    def after(run: Run, step: int) -> None:
        del step
        for parameter in run.model.parameters():
            if parameter.dim() > 1:
                parameter.copy_(parameter.renorm(2, 0, largest))

    return Stepping(after=after)


def thawed(*names: str, at: int) -> Stepping:
    """What begins with these names learns only from an epoch on."""

    def at_epoch(run: Run, epoch: int) -> None:
        for name, parameter in run.model.named_parameters():
            parameter.requires_grad_(epoch >= at or not name.startswith(names))

    return Stepping(at_epoch=at_epoch)


def twice(run: Run, inputs: Tensor, targets: Tensor) -> Tensor:
    """Two passes with other dropout must agree, beside being right."""
    one, other = run.model(inputs), run.model(inputs)
    apart = (torch.softmax(one, -1) - torch.softmax(other, -1)).square().sum(-1).mean()
    return (run.plan.loss(one, targets) + run.plan.loss(other, targets)) / 2 + apart


def worth_after(run: Run, inputs: Tensor, targets: Tensor) -> Tensor:
    """Q-learning: what a step is worth is its prize and what the best next one is worth."""
    del targets
    prize, after = inputs[:, PLACES + 2], inputs[:, PLACES + 3 :]
    with torch.no_grad():
        best = run.model.slow(after).amax(-1)
    wanted = prize + PATIENCE * best * (1 - prize)
    return run.plan.loss(run.model(inputs), wanted.unsqueeze(-1))


def copied_every(steps: int) -> Act:
    """The slow network becomes the fast one now and then."""

    def after(run: Run, step: int) -> None:
        if step % steps == steps - 1:
            run.model.slow.load_state_dict(run.model.fast.state_dict())

    return after


@torch.no_grad()
def following(run: Run, step: int) -> None:
    """The slow network follows the fast one at every step."""
    del step
    for slow, fast in zip(run.model.slow.parameters(), run.model.fast.parameters(), strict=True):
        slow.lerp_(fast, 0.05)


def mean_of_weights(share: float) -> Callable[[Run, Monitor], None]:
    """The mean of the weights after the epochs of the last share is the result."""

    def loop(run: Run, monitor: Monitor) -> None:
        mean = torch.optim.swa_utils.AveragedModel(run.model)
        begin = int((1 - share) * run.plan.epochs)

        def at_epoch(run: Run, epoch: int) -> None:
            if epoch > begin:
                mean.update_parameters(run.model)

        Stepping(at_epoch=at_epoch)(run, monitor)
        mean.update_parameters(run.model)
        run.model.load_state_dict(mean.module.state_dict())

    return loop


def lower_at_rest(run: Run, monitor: Monitor) -> None:
    """The rate falls when the validation loss no longer does."""
    scheduler = ReduceLROnPlateau(run.optimizers[0], factor=0.3, patience=1)

    def at_epoch(run: Run, epoch: int) -> None:
        if epoch:
            scheduler.step(evaluate(run).val_loss)
            run.model.train()

    Stepping(at_epoch=at_epoch)(run, monitor)


def sharpness_aware(radius: float) -> Stepping:
    """The gradient is taken where the loss is worst nearby, the step where the weights are."""
    moves: list[Tensor] = []

    def objective(run: Run, inputs: Tensor, targets: Tensor) -> Tensor:
        _plain(run, inputs, targets).backward()
        gradients = [parameter.grad for parameter in run.model.parameters()]
        norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
        moves[:] = [radius * gradient / (norm + 1e-12) for gradient in gradients]
        _move(run, moves, 1)
        run.optimizers[0].zero_grad()
        return _plain(run, inputs, targets)

    return Stepping(objective=objective, before=lambda run, _: _move(run, moves, -1))


@torch.no_grad()
def _move(run: Run, moves: list[Tensor], sign: int) -> None:
    for parameter, move in zip(run.model.parameters(), moves, strict=True):
        parameter.add_(move, alpha=sign)


def stopped_early(patience: int) -> Callable[[Run, Monitor], None]:
    """Ends when the validation loss has not been lower for some epochs."""

    def loop(run: Run, monitor: Monitor) -> None:
        best, waited = float("inf"), 0
        for _ in range(run.plan.epochs):
            run.model.train()
            for inputs, targets in batches(run):
                run.optimizers[0].zero_grad()
                _plain(run, inputs, targets).backward()
                run.optimizers[0].step()
            report(run, monitor)
            reached = evaluate(run).val_loss
            waited = 0 if reached < best else waited + 1
            best = min(best, reached)
            if waited >= patience:
                return

    return loop
