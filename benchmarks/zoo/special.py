"""Loops and models that do not fit the common loop: L-BFGS, adversaries, autoencoders."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.optim import Adam, Optimizer

from .models import mlp
from .plan import Run
from .training import Monitor, batches, report


def closure_loop(run: Run, monitor: Monitor) -> None:
    """Training with an optimizer that asks for the loss several times a step."""
    optimizer = run.optimizers[0]
    for _ in range(run.plan.epochs):
        run.model.train()
        for inputs, targets in batches(run):

            def closure(x: Tensor = inputs, y: Tensor = targets) -> Tensor:
                optimizer.zero_grad()
                loss = run.plan.loss(run.model(x), y)
                loss.backward()
                return loss

            optimizer.step(closure)
        report(run, monitor)


class Adversaries(nn.Module):
    """A generator of points and a critic; called, it generates from noise that stays the same."""

    def __init__(self, width: int, hidden: int = 32, noise: int = 4) -> None:
        super().__init__()
        self.generator = mlp(noise, width, hidden=hidden, activation=nn.LeakyReLU)
        self.discriminator = mlp(width, 1, hidden=hidden, activation=nn.LeakyReLU)
        self.noise = noise
        self.register_buffer("fixed", torch.randn(512, noise))

    @property
    def watched(self) -> dict[str, nn.Module]:
        """The two networks, as a user hands them to `watch`."""
        return {"generator": self.generator, "discriminator": self.discriminator}

    def forward(self, x: Tensor) -> Tensor:
        return self.generator(self.fixed[: len(x)])


class MomentDistance(nn.Module):
    """How far the mean and the covariance of points are from those of others."""

    def forward(self, output: Tensor, target: Tensor) -> Tensor:
        means = (output.mean(0) - target.mean(0)).square().sum()
        return means + (output.T.cov() - target.T.cov()).square().sum()


def adversary_optimizers(rate: float) -> Callable[[Adversaries], list[Optimizer]]:
    """One Adam for each of the two; the critic is the faster."""

    def build(model: Adversaries) -> list[Optimizer]:
        return [
            Adam(model.generator.parameters(), rate, betas=(0.0, 0.99)),
            Adam(model.discriminator.parameters(), 3 * rate, betas=(0.0, 0.99)),
        ]

    return build


def adversarial_loop(run: Run, monitor: Monitor) -> None:
    """The critic learns to tell real from made points, the generator to fool it."""
    model: Adversaries = run.model
    generating, judging = run.optimizers
    for _ in range(run.plan.epochs):
        model.train()
        for real, _ in batches(run):
            made = model.generator(torch.randn(len(real), model.noise))
            judging.zero_grad()
            loss = _distance(model, real, 1.0) + _distance(model, made.detach(), 0.0)
            loss.backward()
            judging.step()
            generating.zero_grad()
            _distance(model, made, 1.0).backward()
            generating.step()
        report(run, monitor)


def _distance(model: Adversaries, points: Tensor, label: float) -> Tensor:
    """How far the verdict is from a label; the critic sees blurred points, which calms the game."""
    verdict = model.discriminator(points + 0.5 * torch.randn_like(points))
    return (verdict - label).square().mean()


class Autoencoder(nn.Module):
    """A variational autoencoder; without randomness in evaluation."""

    def __init__(self, inputs: int, hidden: int = 48, latent: int = 4) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, latent)
        self.logarithm = nn.Linear(hidden, latent)
        self.decoder = mlp(latent, inputs, hidden=hidden, depth=1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.encoder(x)
        mean, logarithm = self.mean(hidden), self.logarithm(hidden)
        noise = torch.randn_like(mean) if self.training else torch.zeros_like(mean)
        return self.decoder(mean + noise * torch.exp(logarithm / 2)), mean, logarithm
