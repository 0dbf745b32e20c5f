"""Tune a small net with Ray Tune; trials that cannot get well end early. Needs the extra `ray`.

python examples/tune_ray.py
"""

from __future__ import annotations

import tempfile
from typing import Any

import torch
from ray import tune
from torch import nn

from paramedic.hpo.raytune import DiagnosisStopper, watch

EPOCHS = 15


def train(config: dict[str, Any]) -> None:
    """A net that learns a parabola."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, config["width"]), nn.Tanh(), nn.Linear(config["width"], 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=config["rate"], momentum=0.9)
    x = torch.linspace(-1, 1, 256)[:, None]
    y = x**2 + 0.05 * torch.randn_like(x)
    with watch(model, optimizer, metric="val_loss", mode="min", epochs=EPOCHS) as monitor:
        for _ in range(EPOCHS):
            for batch in torch.randperm(len(x)).split(32):
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x[batch]), y[batch]).backward()
                optimizer.step()
            with torch.no_grad():
                loss = float(nn.functional.mse_loss(model(x), x**2))
            monitor.report(val_loss=loss)


def main() -> None:
    stopper = DiagnosisStopper()
    results = tune.Tuner(
        train,
        param_space={"rate": tune.loguniform(1e-5, 100.0), "width": tune.randint(4, 64)},
        tune_config=tune.TuneConfig(metric="val_loss", mode="min", num_samples=20),
        run_config=tune.RunConfig(stop=stopper, storage_path=tempfile.mkdtemp(), verbose=0),
    ).fit()
    for result in results:
        verdict = result.metrics["paramedic/verdict"]
        print(f"rate {result.config['rate']:.2e}: {verdict}, loss {result.metrics['val_loss']:.4g}")
    print("best:", results.get_best_result().config)


if __name__ == "__main__":
    main()
