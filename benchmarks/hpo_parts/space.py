"""The ranges of hyperparameters: drawn at random here, suggested by Optuna elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Between:
    """A number between two others, on a logarithmic scale if asked for."""

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def draw(self, random: np.random.Generator) -> float | int:
        if self.whole:
            return int(random.integers(int(self.low), int(self.high) + 1))
        if self.log:
            return float(np.exp(random.uniform(np.log(self.low), np.log(self.high))))
        return float(random.uniform(self.low, self.high))

    def suggest(self, trial: Any, name: str) -> float | int:
        if self.whole:
            return int(trial.suggest_int(name, int(self.low), int(self.high)))
        return float(trial.suggest_float(name, self.low, self.high, log=self.log))


@dataclass(frozen=True)
class OneOf:
    """One of several."""

    choices: tuple[Any, ...]

    def draw(self, random: np.random.Generator) -> Any:
        return self.choices[int(random.integers(len(self.choices)))]

    def suggest(self, trial: Any, name: str) -> Any:
        return trial.suggest_categorical(name, list(self.choices))


Space = Mapping[str, Between | OneOf]


def draw(space: Space, *seed: int) -> dict[str, Any]:
    """Random hyperparameters; the same for the same seed."""
    random = np.random.default_rng(seed)
    return {name: one.draw(random) for name, one in space.items()}


def suggest(space: Space, trial: Any) -> dict[str, Any]:
    """Hyperparameters as Optuna suggests them."""
    return {name: one.suggest(trial, name) for name, one in space.items()}
