"""What can be wrong with a plan, told in words before anything is trained."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.utils.data import Dataset, IterableDataset

from paramedic.treat.batches import Loaded

if TYPE_CHECKING:
    from paramedic.treat.plan import Plan

METRICS = ("accuracy", "loss")


class PlanError(ValueError):
    """A plan that cannot be trained: what is wrong, which value, and what to do."""


def check_model(model: Any) -> None:
    """A module or a function that makes one."""
    if isinstance(model, nn.Module):
        check_made(model)
    elif isinstance(model, type) or not callable(model):
        raise PlanError(
            f"`model` must be an nn.Module or a function without arguments that makes one but is "
            f"{_shown(model)}."
        )


def check_made(model: Any) -> None:
    """A model that can learn."""
    if not isinstance(model, nn.Module):
        raise PlanError(f"`model` made {_shown(model)} instead of an nn.Module.")
    count = sum(one.numel() for one in model.parameters() if one.requires_grad)
    if count == 0:
        frozen = any(True for _ in model.parameters())
        what = "all its parameters have requires_grad=False" if frozen else "it has no parameters"
        raise PlanError(f"`model` ({type(model).__name__}) cannot learn: {what}.")


def copied(model: nn.Module) -> nn.Module:
    """A copy of a model, so that the user's own is never trained."""
    try:
        return copy.deepcopy(model)
    except Exception as error:  # modules of others may refuse to be copied in any way
        raise PlanError(
            f"`model` ({type(model).__name__}) cannot be copied ({error}); give a function that "
            "makes it instead."
        ) from error


def check_callable(name: str, value: Any) -> None:
    """A function, not a class that somebody forgot to call."""
    if isinstance(value, type):
        raise PlanError(f"`{name}` is the class {value.__name__}; make one: {value.__name__}().")
    if not callable(value):
        raise PlanError(f"`{name}` must be callable but is {_shown(value)}.")


def recipe(name: str, value: Any) -> tuple[Any, dict[str, Any]]:
    """A class and its settings."""
    if callable(value):
        value = (value, {})
    good = isinstance(value, tuple | list) and len(value) == 2
    if not good or not callable(value[0]) or not isinstance(value[1], Mapping):
        raise PlanError(
            f"`{name}` must be a class and its settings, as in "
            f'(torch.optim.SGD, {{"lr": 0.01}}), but is {_shown(value)}.'
        )
    return value[0], dict(value[1])


def tensors(name: str, data: Any) -> tuple[Tensor, Tensor]:
    """Inputs and targets of equal length."""
    if len(data) != 2:
        raise PlanError(f"`{name}` must be (inputs, targets) but has {len(data)} parts.")
    try:
        x, y = (part if isinstance(part, Tensor) else torch.as_tensor(part) for part in data)
    except (TypeError, ValueError, RuntimeError) as error:
        raise PlanError(f"`{name}` must be tensors or arrays: {error}") from error
    for part, value in (("inputs", x), ("targets", y)):
        if value.dim() == 0:
            raise PlanError(f"`{name}`: the {part} are a single number, not one per sample.")
    if len(x) != len(y):
        raise PlanError(f"`{name}` has {len(x)} inputs but {len(y)} targets.")
    _check_targets(name, y)
    return x, y


def _check_targets(name: str, y: Tensor) -> None:
    if not y.is_floating_point():
        return
    bad = ~torch.isfinite(y.reshape(len(y), -1)).all(1) if y.numel() else torch.zeros(0)
    count = int(bad.sum())
    if count:
        first = int(bad.nonzero()[0])
        raise PlanError(
            f"`{name}`: {count} of {len(y)} targets are NaN or infinite, the first at index "
            f"{first}. Nobody can guess them: leave these samples out."
        )


def check_dataset(name: str, data: Any) -> None:
    """Something that gives samples."""
    if not isinstance(data, Dataset):
        raise PlanError(
            f"`{name}` must be (inputs, targets), a Dataset or a DataLoader but is {_shown(data)}."
        )
    if isinstance(data, IterableDataset) or not isinstance(data, Sized):
        raise PlanError(f"`{name}` is a stream without a length: give it in a DataLoader.")


def check_samples(name: str, data: Any) -> None:
    """At least one sample."""
    source = data.dataset if isinstance(data, Loaded) else data
    count = len(source[0]) if isinstance(source, tuple) else None
    if count is None and isinstance(source, Sized):
        count = len(source)
    if count == 0:
        raise PlanError(f"`{name}` is empty: it has no samples.")


def check_numbers(plan: Plan) -> None:
    """The settings that are numbers."""
    for name in ("epochs", "batch_size"):
        value = getattr(plan, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise PlanError(f"`{name}` must be a whole number of at least 1 but is {value!r}.")
    if not isinstance(plan.seed, int) or plan.seed < 0:
        raise PlanError(f"`seed` must be a whole number of at least 0 but is {plan.seed!r}.")
    if not isinstance(plan.warmup, int) or plan.warmup < 0:
        raise PlanError(f"`warmup` must be a number of steps but is {plan.warmup!r}.")
    for name in ("clip_norm", "clip_value"):
        value = getattr(plan, name)
        if value is not None and not (isinstance(value, int | float) and value > 0):
            raise PlanError(f"`{name}` must be above 0 but is {value!r}.")
    if plan.satisfactory is not None and not math.isfinite(plan.satisfactory):
        raise PlanError(f"`satisfactory` must be a finite number but is {plan.satisfactory!r}.")


def check_metric(metric: Any) -> None:
    """A metric that is known, or a function."""
    if metric not in METRICS and not callable(metric):
        raise PlanError(
            f"`metric` must be {' or '.join(map(repr, METRICS))} or a function of outputs and "
            f"targets but is {_shown(metric)}."
        )


def check_forward(plan: Plan) -> None:
    """One batch through the model. What the loss makes of it is not judged: targets can be
    repaired, a model that does not take its inputs cannot."""
    for part, batches in zip(("train", "validation"), plan.batches, strict=True):
        batch = next(iter(batches.epoch(0)), None)
        if batch is None:
            raise PlanError(f"`{part}` gave no batch: it has no samples.")
        if not batches_targets_finite(batch[1]):
            _check_targets(part, batch[1])
    try:
        plan.output(most=min(plan.batch_size, 8))
    except PlanError:
        raise
    except Exception as error:  # the user's model may raise anything
        shape = _shape(plan.sample(1)[0])
        name = type(plan.build_model()).__name__
        raise PlanError(
            f"The model ({name}) does not take a batch of `train`, whose samples have the shape "
            f"{shape}: {type(error).__name__}: {error}"
        ) from error


def batches_targets_finite(y: Tensor) -> bool:
    """Whether no target of a batch is NaN or infinite."""
    return not y.is_floating_point() or bool(torch.isfinite(y).all())


def _shape(x: Any) -> str:
    if isinstance(x, Tensor):
        return str(tuple(x.shape[1:]))
    return f"of a {type(x).__name__}"


def _shown(value: Any) -> str:
    text = repr(value)
    kept = text if len(text) <= 60 else f"{text[:57]}…"
    return f"{kept} ({type(value).__name__})"
