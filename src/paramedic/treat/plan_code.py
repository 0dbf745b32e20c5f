"""A plan as readable Python, and what differs between two of them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from paramedic.treat.batches import Loaded

if TYPE_CHECKING:
    from paramedic.treat.plan import Plan

_SETTINGS = ("warmup", "clip_norm", "clip_value", "satisfactory", "higher_is_better")


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing that was done to the model, in words and as code; `shows` if the list of its
    layers shows it, which that of fresh weights does not."""

    description: str
    code: str
    shows: bool = True


def code_of(plan: Plan) -> str:
    """The plan as Python. What is not written there, the data and custom modules, is described."""
    model = plan.model if isinstance(plan.model, nn.Module) else plan.build_model()
    lines = ["import paramedic", "import torch", "from torch import nn", ""]
    lines += _model_lines(model)
    lines += _edit_lines(plan, written=_is_plain(model))
    lines += ["plan = paramedic.Plan("]
    lines += [f"    {line}" for line in _arguments(plan)]
    return "\n".join([*lines, ")", ""])


def difference(before: str, after: str, names: tuple[str, str]) -> str:
    """A unified diff."""
    return "".join(
        difflib.unified_diff(before.splitlines(True), after.splitlines(True), *names, n=2)
    )


def _model_lines(model: nn.Module) -> list[str]:
    if _is_plain(model):
        return ["model = " + "\n".join(_constructor(model))]
    tree = [f"#   {line}" for line in str(model).splitlines()]
    return [f"model = {type(model).__name__}(…)  # made of:", *tree]


def _is_plain(module: nn.Module) -> bool:
    """Whether the module prints as the call that makes it."""
    if isinstance(module, nn.Sequential) and type(module) is nn.Sequential:
        named = all(name.isdigit() for name, _ in module.named_children())
        return named and all(_is_plain(child) for child in module)
    standard = type(module).__module__.startswith("torch.nn.modules")
    return standard and not any(True for _ in module.children())


def _constructor(module: nn.Module) -> list[str]:
    if not isinstance(module, nn.Sequential):
        return [f"nn.{module!r}"]
    inside: list[str] = []
    for child in module:
        lines = _constructor(child)
        lines[-1] += ","
        inside += [f"    {line}" for line in lines]
    return ["nn.Sequential(", *inside, ")"]


def _edit_lines(plan: Plan, written: bool) -> list[str]:
    """What was done to the model: in words; as code where the layers above do not show it; and
    as a comment where they do but could not be written as code themselves."""
    lines: list[str] = []
    for edit in plan.edits:
        lines.append(f"# {edit.description}")
        code = edit.code.splitlines() if edit.code else []
        if not edit.shows:
            lines += code
        elif not written:
            lines += [f"#   {line}" for line in code]
    return lines


def _arguments(plan: Plan) -> list[str]:
    found = [
        "model=model,",
        f"loss={_function(plan.loss)},",
        f"optimizer={_recipe(plan.optimizer)},",
        f"train=train,  # {_described(plan.train)}",
    ]
    if plan.validation is not None:
        found.append(f"validation=validation,  # {_described(plan.validation)}")
    metric = f'"{plan.metric}"' if isinstance(plan.metric, str) else _function(plan.metric)
    found += [f"epochs={plan.epochs},", f"batch_size={plan.batch_size},", f"metric={metric},"]
    return [*found, f"seed={plan.seed},", *_optional(plan)]


def _optional(plan: Plan) -> list[str]:
    """What most plans do without."""
    found = [f'device="{plan.device}",'] if plan.device != "cpu" else []
    if plan.scheduler is not None:
        found.append(f"scheduler={_recipe(plan.scheduler)},")
    values = {name: getattr(plan, name) for name in _SETTINGS}
    found += [
        f"{name}={_value(value)}," for name, value in values.items() if value not in (None, 0)
    ]
    for name in ("inputs", "targets"):
        made = ", ".join(one.code() for one in getattr(plan, name))
        if made:
            found.append(f"{name}=({made},),")
    return found


def _function(value: Any) -> str:
    if isinstance(value, nn.Module):
        standard = type(value).__module__.startswith("torch.nn.modules")
        weight = getattr(value, "weight", None)
        text = repr(value)
        if weight is not None and text.endswith("()"):
            text = f"{text[:-1]}weight={[round(float(one), 4) for one in weight]})"
        return f"nn.{text}" if standard else text
    module, name = getattr(value, "__module__", ""), getattr(value, "__qualname__", "")
    if name and module == "torch.nn.functional":
        return f"nn.functional.{name}"
    return name or repr(value)


def _recipe(recipe: Any) -> str:
    kind, settings = recipe
    module, name = getattr(kind, "__module__", ""), getattr(kind, "__name__", repr(kind))
    if module.startswith("torch.optim.lr_scheduler"):
        name = f"torch.optim.lr_scheduler.{name}"
    elif module.startswith("torch.optim"):
        name = f"torch.optim.{name}"
    inside = ", ".join(f'"{key}": {_value(value)}' for key, value in settings.items())
    return f"({name}, {{{inside}}})"


def _value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def _described(data: Any) -> str:
    if isinstance(data, tuple):
        x, y = data
        return f"{len(x)} samples: {_shape(x)} → {_shape(y)}"
    source = data.dataset if isinstance(data, Loaded) else data
    return type(source).__name__


def _shape(values: Tensor) -> str:
    shape = "×".join(str(size) for size in values.shape[1:]) or "1"
    return f"{shape} {str(values.dtype).removeprefix('torch.')}"
