"""`paramedic.Plan`: what a training is, as one value that can be checked, changed and printed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.data import DataLoader

from paramedic.treat import plan_checks as checks
from paramedic.treat.batches import Batch, Batches, Data, Loaded, fed, prepared_pair, unloaded
from paramedic.treat.measure import Measure, measure
from paramedic.treat.plan_checks import PlanError
from paramedic.treat.plan_code import Edit, code_of, difference
from paramedic.treat.preparation import Preparation

__all__ = ["Edit", "Plan", "PlanError"]

Recipe = tuple[Callable[..., Any], Mapping[str, Any]]
Model = nn.Module | Callable[[], nn.Module]
Loss = Callable[[Any, Any], Tensor]


@dataclass(frozen=True, eq=False)
class Plan:
    """A training: the model, the loss, the optimizer, the data, and how long.

    ```python
    plan = paramedic.Plan(
        model, nn.CrossEntropyLoss(), (torch.optim.SGD, {"lr": 0.01}),
        train=(x, y), validation=(x_val, y_val), epochs=20, batch_size=32,
    )
    ```

    A plan is never changed: `replace` gives another one. What is wrong with the values is told
    when it is made (`PlanError`).

    Args:
        model: an `nn.Module`, which is copied and never trained itself, or a function that makes
            one (it is called with torch seeded by `seed`).
        loss: called with the output and the targets.
        optimizer: the class and its settings, without the parameters: all of the model's.
        train: (inputs, targets) as tensors or arrays, a `Dataset` of pairs, or a `DataLoader`.
        validation: the same; without it the training data is measured.
        epochs: how often the training data is seen.
        batch_size: samples of a step; by default that of the loader, or 32.
        metric: `accuracy`, `loss`, or a function of outputs and targets that gives a number.
        seed: of the weights (for a function that makes the model), the order of the batches, and
            what the model draws.
        device: where to train.
        satisfactory: the value of the metric that is good enough: a plan that gets there is
            left alone.
        higher_is_better: of the metric; by default yes, but not of `loss`.
        scheduler: the class of a learning-rate scheduler and its settings, without the optimizer;
            stepped after each epoch.
        warmup: steps over which the rate rises to its value.
        clip_norm: the largest norm of the gradient; clip_value: the largest |g| of each value.
        inputs, targets: preparations, in order, fitted on the training data only.
        remedies: those that are allowed, in the order in which they are tried, as objects or by
            name; None allows all, () none.
        edits: what was done to the model since the plan was written; kept by `heal`.
    """

    model: Model
    loss: Loss
    optimizer: Recipe
    train: Data
    validation: Data | None = None
    epochs: int = 10
    batch_size: int = 0
    metric: str | Callable[[Any, Tensor], float] = "accuracy"
    seed: int = 0
    device: str = "cpu"
    satisfactory: float | None = None
    higher_is_better: bool | None = None
    scheduler: Recipe | None = None
    warmup: int = 0
    clip_norm: float | None = None
    clip_value: float | None = None
    inputs: tuple[Preparation, ...] = ()
    targets: tuple[Preparation, ...] = ()
    remedies: Sequence[Any] | None = None
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        keep = object.__setattr__  # the values in the form that everybody may rely on
        checks.check_model(self.model)
        checks.check_callable("loss", self.loss)
        keep(self, "optimizer", checks.recipe("optimizer", self.optimizer))
        if self.scheduler is not None:
            keep(self, "scheduler", checks.recipe("scheduler", self.scheduler))
        keep(self, "batch_size", self.batch_size or _size_of(self.train))
        keep(self, "train", _data("train", self.train))
        if self.validation is not None:
            keep(self, "validation", _data("validation", self.validation))
        keep(self, "inputs", tuple(self.inputs))
        keep(self, "targets", tuple(self.targets))
        keep(self, "device", str(self.device))
        checks.check_numbers(self)
        checks.check_metric(self.metric)

    def replace(self, **changes: Any) -> Plan:
        """The plan with other values."""
        return dataclasses.replace(self, **changes)

    # -- what a training is made of --------------------------------------------------------------

    def build_model(self) -> nn.Module:
        """A fresh model with the initial weights: the same weights each time."""
        if isinstance(self.model, nn.Module):
            return checks.copied(self.model).to(self.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            made = self.model()
        checks.check_made(made)
        return made.to(self.device)

    def build_optimizer(self, model: nn.Module) -> Optimizer:
        """The optimizer over all parameters of the model that are trained."""
        kind, settings = self.optimizer
        trained = [one for one in model.parameters() if one.requires_grad]
        try:
            made = kind(trained, **settings)
        except (TypeError, ValueError) as error:
            raise PlanError(f"`optimizer`: {kind} cannot be made: {error}") from error
        assert isinstance(made, Optimizer)
        return made

    def build_scheduler(self, optimizer: Optimizer) -> Any | None:
        """The scheduler, or None."""
        if self.scheduler is None:
            return None
        kind, settings = self.scheduler
        return kind(optimizer, **settings)

    @cached_property
    def batches(self) -> tuple[Batches, Batches]:
        """Training and validation data, prepared; without validation data both are the same."""
        common = {"seed": self.seed, "device": self.device}
        train = Batches(self.train, self.batch_size, **common)  # type: ignore[arg-type]
        judged = self.train if self.validation is None else self.validation
        size = max(self.batch_size, 256)
        validation = Batches(judged, size, train=False, **common)  # type: ignore[arg-type]
        return prepared_pair(train, validation, self.inputs, self.targets)

    @cached_property
    def guessing(self) -> float:
        """The accuracy of always giving the most frequent target; 0 for another metric."""
        if self.measure.name != "accuracy":
            return 0.0
        targets = self.batches[1].gathered()[1]
        _, counts = torch.unique(targets, dim=0, return_counts=True)
        return float(counts.max()) / len(targets)

    @property
    def steps_per_epoch(self) -> int:
        """Optimizer steps of one epoch."""
        return len(self.batches[0])

    @property
    def steps(self) -> int:
        """Optimizer steps of the whole training."""
        return self.epochs * self.steps_per_epoch

    def sample(self, most: int = 1024) -> Batch:
        """The first training samples, as the model sees them."""
        x, y = self.batches[0].gathered(most)
        return (x[:most] if isinstance(x, Tensor) else x), y[:most]

    def output(self, most: int = 32) -> tuple[Any, Tensor]:
        """What the untrained model gives for the first training samples, and their targets."""
        x, y = self.batches[0].gathered(most)
        if isinstance(x, Tensor):
            x, y = x[:most], y[:most]
        model = self.build_model().eval()
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            return fed(model, _to(x, self.device)), y.to(self.device)

    def check(self) -> None:
        """Try the plan on one batch, without training: what cannot work is told now, in words."""
        checks.check_forward(self)

    # -- how good it is --------------------------------------------------------------------------

    @cached_property
    def measure(self) -> Measure:
        """The metric, and which way is better."""
        return measure(self.metric, self.loss, self.higher_is_better)

    # -- in words --------------------------------------------------------------------------------

    def code(self) -> str:
        """The plan as readable Python."""
        return code_of(self)

    def diff(self, other: Plan, names: tuple[str, str] = ("plan", "repaired plan")) -> str:
        """What another plan does differently, as a unified diff; empty if nothing."""
        return difference(self.code(), other.code(), names)


def _to(x: Any, device: str) -> Any:
    return x.to(device) if isinstance(x, Tensor) else x


def _size_of(train: Any) -> int:
    is_loader = isinstance(train, DataLoader) and train.batch_size
    return int(train.batch_size) if is_loader else 32


def _data(name: str, data: Any) -> Data:
    if isinstance(data, DataLoader):
        data = unloaded(data)
    elif isinstance(data, tuple | list):
        data = checks.tensors(name, data)
    elif not isinstance(data, Loaded):
        checks.check_dataset(name, data)
    checks.check_samples(name, data)
    return data  # type: ignore[no-any-return]
