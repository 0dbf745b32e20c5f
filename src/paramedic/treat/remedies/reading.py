"""What a plan tells: an example of its inputs, its task, its optimizer, its gradients."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.probe.batch import loss_name
from paramedic.treat.batches import fed
from paramedic.treat.plan import Plan
from paramedic.treat.remedy import Refusal
from paramedic.treat.surgery.calling import quiet
from paramedic.types import Finding, Task

_ADAPTIVE = ("adam", "rms", "adagrad", "adadelta", "lion", "rprop")
_LOSSES = (
    "cross-entropy", "nll", "mse", "l1", "smooth-l1", "huber", "binary-cross-entropy",
    "binary-cross-entropy-with-logits",
)  # fmt: skip
_EXAMPLES = 16  # samples that an edit is verified on
_MOST_CLASSES = 100  # distinct whole numbers that are still taken for classes


def example(plan: Plan) -> Any:
    """A small batch of inputs, as the model takes them; of one sample if the plan's batches are."""
    count = min(_EXAMPLES, plan.batch_size)
    return _first(plan.sample(count)[0], count, plan.device)


def _first(x: Any, count: int, device: str) -> Any:
    if isinstance(x, Tensor):
        return x[:count].to(device)
    if isinstance(x, Mapping):
        return {name: _first(value, count, device) for name, value in x.items()}
    if isinstance(x, tuple | list):
        return tuple(_first(value, count, device) for value in x)
    return x


def loss_kind(plan: Plan, finding: Finding | None = None) -> str:
    """Which of the well-known losses it is; its own name if it is none of them."""
    told = None if finding is None else finding.evidence.get("loss")
    name = loss_name(plan.loss)
    return name if name in _LOSSES or not isinstance(told, str) else told


def task(plan: Plan) -> Task:
    """What is asked of the model, told by the targets and the shape of its output."""
    output, _ = plan.output()
    targets = plan.sample()[1]
    if not isinstance(output, Tensor):
        return Task.UNKNOWN
    columns = output.shape[1] if output.dim() > 1 else 1
    if is_one_hot(targets):
        return Task.MULTI_CLASS
    if _is_yes_or_no(targets):
        if columns > 1 and targets.shape[1:] == output.shape[1:]:
            return Task.MULTI_LABEL
        return Task.BINARY if columns == 1 else Task.MULTI_CLASS
    if is_whole(targets) and (columns > 1 or not targets.is_floating_point()):
        return Task.MULTI_CLASS
    return Task.REGRESSION


def is_one_hot(targets: Tensor) -> bool:
    """Whether each row has a single one among zeros."""
    if targets.dim() < 2 or targets.shape[-1] < 2:
        return False
    values = targets.float()
    return bool(((values == 0) | (values == 1)).all() and (values.sum(-1) == 1).all())


def is_whole(targets: Tensor) -> bool:
    """Whether they are few whole numbers: classes, or could be."""
    if targets.is_floating_point() and not bool((targets == targets.round()).all()):
        return False
    return len(torch.unique(targets)) <= _MOST_CLASSES


def _is_yes_or_no(targets: Tensor) -> bool:
    return bool(((targets == 0) | (targets == 1)).all())


def is_adaptive(plan: Plan) -> bool:
    """Whether the optimizer divides by the size of the gradient, as Adam does."""
    name = getattr(plan.optimizer[0], "__name__", "").lower()
    return any(word in name for word in _ADAPTIVE)


def rate(plan: Plan) -> float:
    """The learning rate, also where it is the default of the optimizer."""
    kind, settings = plan.optimizer
    if isinstance(settings.get("lr"), int | float):
        return float(settings["lr"])
    made = kind([nn.Parameter(torch.zeros(1))], **settings)
    return float(made.param_groups[0]["lr"])


def with_settings(plan: Plan, **settings: Any) -> Plan:
    """The plan with other settings of its optimizer."""
    kind, before = plan.optimizer
    return plan.replace(optimizer=(kind, {**before, **settings}))


def numbers(plan: Plan) -> Tensor:
    """The inputs, if they are one tensor of real numbers: others have no scale."""
    x, _ = plan.sample()
    if not isinstance(x, Tensor):
        raise Refusal(f"The inputs are a {type(x).__name__}, not one tensor; repair them yourself.")
    if not x.is_floating_point():
        raise Refusal("The inputs are whole numbers, such as tokens, which have no scale.")
    return x


def gradient_norms(plan: Plan, batches: int = 4) -> list[float]:
    """Norms of the gradient of the untrained model on the first batches; only finite ones."""
    model = plan.build_model().train()
    trained = [one for one in model.parameters() if one.requires_grad]
    norms: list[float] = []
    with quiet(), torch.enable_grad():
        for inputs, targets in itertools.islice(plan.batches[0].epoch(0), batches):
            loss = plan.loss(fed(model, inputs), targets)
            found = torch.autograd.grad(loss, trained, allow_unused=True)
            squares = [float(one.norm()) ** 2 for one in found if one is not None]
            norms.append(math.sqrt(sum(squares)) if squares else math.nan)
    return [norm for norm in norms if math.isfinite(norm) and norm > 0]
