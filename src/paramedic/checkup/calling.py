"""How this model is called with this batch, and how its loss is computed: found by trying."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.checkup.batch import Batch
from paramedic.checkup.check import Skip
from paramedic.checkup.nest import flatten
from paramedic.checkup.ways import Arguments, LossWay, Way, accepts, loss_ways, ways
from paramedic.probe.randomness import seed

Forward = Callable[[nn.Module, Any], Any]
Loss = Callable[..., Any]


class CannotCall(Exception):
    """No way to call the model works; `fitting` if its signature takes the batch all the same."""

    def __init__(self, message: str, *, fitting: bool) -> None:
        super().__init__(message)
        self.fitting = fitting


@dataclass(frozen=True, slots=True)
class Calling:
    """The way that works.

    `loss_problem` says why the loss cannot be computed, if so; `training_problem` what is raised in
    training mode, if the way only works in evaluation mode.
    """

    way: Way
    forward: Forward | None = None
    loss_way: LossWay | None = None
    loss_problem: str = ""
    training_problem: str = ""

    def output(self, model: nn.Module, nest: Any) -> Any:
        """Run the model on a nest, as the caller would."""
        if self.forward is not None:
            return self.forward(model, nest)
        args, kwargs = self.way.arguments(nest)
        return model(*args, **kwargs)

    def loss(self, loss_fn: Loss | None, output: Any, nest: Any) -> Tensor:
        """The loss of an output as one number with its graph."""
        if self.loss_problem:
            raise Skip(f"the loss cannot be computed: {self.loss_problem}")
        found = loss_in(output)
        if self.loss_way is not None and loss_fn is not None:
            arguments = self.loss_way.arguments(output, self.way.target(nest), self._inputs(nest))
            found = _number(loss_fn(*arguments))
        if found is None:
            raise Skip("there is no `loss_fn`, and the model computes no loss")
        return found

    def _inputs(self, nest: Any) -> tuple[Any, ...]:
        args, kwargs = self.way.arguments(nest)
        return (*args, *kwargs.values())


def find_calling(
    model: nn.Module, nest: Any, loss_fn: Loss | None, forward: Forward | None
) -> Calling:
    """Try the usual conventions on `model`, which may be changed by it: give a copy."""
    problems: list[str] = []
    fitting = False
    for way in ways(nest, with_loss=loss_fn is not None):
        if forward is None and not accepts(model, way.arguments(nest)):
            continue
        calling = Calling(way, forward)
        fitting = True
        try:
            output, problem = _tried(calling, model, nest)
        except Exception as error:  # noqa: BLE001 - the next way may be the right one
            problems.append(f"`{way.words}` raises {told(error)}")
            continue
        if way.computes_loss and forward is None and loss_in(output) is None:
            continue
        return _with_loss(replace(calling, training_problem=problem), loss_fn, output, nest)
    words = "; ".join(dict.fromkeys(problems)) or "its `forward` takes other arguments"
    raise CannotCall(words, fitting=fitting)


def _tried(calling: Calling, model: nn.Module, nest: Any) -> tuple[Any, str]:
    """The output in training mode, as that is what is checked; else in evaluation mode, and what
    was raised in training mode."""
    problem: Exception | None = None
    for training in (True, False):
        model.train(training)
        seed()
        try:
            with torch.no_grad():
                output = calling.output(model, Batch.of(nest).fresh())
        except Exception as error:  # noqa: BLE001 - told by the caller
            problem = problem or error
        else:
            return output, told(problem) if problem else ""
    assert problem is not None
    raise problem


def _with_loss(calling: Calling, loss_fn: Loss | None, output: Any, nest: Any) -> Calling:
    if loss_fn is None:
        return calling
    problem = ""
    target, inputs = calling.way.target(nest), calling._inputs(nest)
    for way in loss_ways(output, target, inputs):
        arguments = way.arguments(output, target, inputs)
        if not accepts(loss_fn, Arguments(arguments)):
            continue
        try:
            value = loss_fn(*arguments)
        except Exception as error:  # noqa: BLE001 - the next way may be the right one
            problem = problem or told(error)
            continue
        if _number(value) is not None:
            return replace(calling, loss_way=way)
        problem = problem or f"it gives {type(value).__name__}, not a tensor"
    words = problem or "it takes neither an output nor a target"
    return replace(calling, loss_problem=words)


def loss_in(output: Any) -> Tensor | None:
    """The loss that a model computed itself: `output.loss`, `output["loss"]`, a lone number, or
    a mapping of nothing but numbers, whose sum it is."""
    named = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    if isinstance(named, Tensor) and named.is_floating_point():
        return named.mean()
    found = flatten(output)
    lone = [one for one in found if one.dim() == 0 and one.is_floating_point()]
    if isinstance(output, Mapping) and len(lone) == len(found) > 1:
        return torch.stack(lone).sum()
    return lone[0] if len(lone) == 1 else None


def prediction_in(output: Any) -> Tensor | None:
    """What the model predicts: its `logits`, else the first tensor of real numbers."""
    named = output.get("logits") if isinstance(output, Mapping) else getattr(output, "logits", None)
    if isinstance(named, Tensor):
        return named
    several = vars(output) if hasattr(output, "__dataclass_fields__") else output
    found = [one for one in flatten(several) if one.dim() and one.is_floating_point()]
    return found[0] if found else None


def _number(value: Any) -> Tensor | None:
    """A loss as one number: the mean of a vector, the sum of several parts."""
    if isinstance(value, Mapping):
        parts = [one.mean() for one in flatten(value) if one.is_floating_point()]
        return torch.stack(parts).sum() if parts else None
    found = flatten(value)
    return found[0].mean() if found and found[0].is_floating_point() else None


def told(error: BaseException) -> str:
    """An error in one line."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'no message'}".rstrip(". ")
