"""Tune a small net with Optuna; trials that cannot get well end early.

python examples/tune_optuna.py               a quick study; needs the extra `optuna`
python examples/tune_optuna.py --shadow      end nothing, and say what would have been ended
"""

from __future__ import annotations

import argparse

import optuna
import torch
from torch import Tensor, nn

import paramedic.hpo.optuna
from paramedic.hpo.optuna import DiagnosisPruner, summary

EPOCHS = 15


def rings(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Two rings inside each other."""
    random = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 2, (count,), generator=random)
    angles = 6.2832 * torch.rand(count, generator=random)
    radius = 1.0 + labels + 0.2 * torch.randn(count, generator=random)
    return torch.stack([radius * angles.cos(), radius * angles.sin()], 1), labels


def objective(trial: optuna.Trial, shadow: bool) -> float:
    """The best validation loss of a net with the suggested hyperparameters."""
    rate = trial.suggest_float("rate", 1e-5, 10.0, log=True)
    width = trial.suggest_int("width", 4, 64)
    activation = trial.suggest_categorical("activation", ["ReLU", "Sigmoid"])
    model = nn.Sequential(nn.Linear(2, width), getattr(nn, activation)(), nn.Linear(width, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
    x, y = rings(640, seed=0)
    x_validation, y_validation = rings(400, seed=1)
    best = float("inf")
    with paramedic.hpo.optuna.watch(
        trial, model, optimizer, epochs=EPOCHS, shadow=shadow
    ) as monitor:
        for epoch in range(EPOCHS):
            for batch in torch.randperm(len(x)).split(32):
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
                optimizer.step()
            with torch.no_grad():
                loss = float(nn.functional.cross_entropy(model(x_validation), y_validation))
            best = min(best, loss)
            monitor.epoch(val_loss=loss)
            trial.report(loss, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
            if monitor.finished:
                break
    return best


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--shadow", action="store_true")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=0), pruner=DiagnosisPruner()
    )
    study.optimize(lambda trial: objective(trial, chosen.shadow), n_trials=chosen.trials)
    print(f"best: {study.best_value:.4f} with {study.best_params}")
    print(summary(study))


if __name__ == "__main__":
    main()
