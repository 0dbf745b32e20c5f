"""Two networks against each other, in forms that the first loop does not have."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from ..plan import Run
from ..special import Adversaries
from ..training import Monitor, batches, report

Game = Callable[[Adversaries, Tensor, Tensor], Tensor]


def playing(critic: Game, generator: Game) -> Callable[[Run, Monitor], None]:
    """A loop in which the critic minimises one thing and the generator another."""

    def loop(run: Run, monitor: Monitor) -> None:
        model: Adversaries = run.model
        generating, judging = run.optimizers
        for _ in range(run.plan.epochs):
            model.train()
            for real, _ in batches(run):
                made = model.generator(torch.randn(len(real), model.noise))
                judging.zero_grad()
                critic(model, real, made.detach()).backward()
                judging.step()
                generating.zero_grad()
                generator(model, real, made).backward()
                generating.step()
            report(run, monitor)

    return loop


def _blurred(model: Adversaries, points: Tensor) -> Tensor:
    """The verdict on points that are blurred, which calms the game."""
    return model.discriminator(points + 0.3 * torch.randn_like(points))


def margin_critic(model: Adversaries, real: Tensor, made: Tensor) -> Tensor:
    """Real points above one, made points below minus one."""
    right = torch.relu(1 - _blurred(model, real)).mean()
    return right + torch.relu(1 + _blurred(model, made)).mean()


def liked(model: Adversaries, real: Tensor, made: Tensor) -> Tensor:
    """The generator wants high verdicts."""
    del real
    return -_blurred(model, made).mean()


def believed(model: Adversaries, real: Tensor, made: Tensor) -> Tensor:
    """The first form of the game: the generator wants to be taken for real."""
    del real
    return F.softplus(-_blurred(model, made)).mean()


def doubting_critic(model: Adversaries, real: Tensor, made: Tensor) -> Tensor:
    """Cross-entropy of what is real, where no more than nine tenths are claimed."""
    verdicts = _blurred(model, real)
    right = F.binary_cross_entropy_with_logits(verdicts, torch.full_like(verdicts, 0.9))
    return right + F.softplus(_blurred(model, made)).mean()
