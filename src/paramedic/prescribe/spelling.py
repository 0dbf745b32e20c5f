"""Lines of code as a user would write them: paths of modules, and optimizers with their settings.

They are written for a program that calls its model `model` and its optimizer `optimizer`;
`renamed` puts the program's own names in. Weights that are moved by hand, or by Keras, have no
optimizer of torch: there the rate is set where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from paramedic.prescribe.cure import rounded, short
from paramedic.prescribe.pace import optimizer, rate
from paramedic.types import Layer, Window

# Settings of torch's optimizers that are worth writing down, and what they are if they are not.
_USUAL: Mapping[str, Any] = {
    "momentum": 0, "weight_decay": 0, "nesterov": False, "betas": (0.9, 0.999), "alpha": 0.99,
}  # fmt: skip
_OPTIMIZERS = frozenset(
    {"SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "ASGD"}
)
_BY_HAND, _KERAS = "by hand", "keras"
_OF_TORCH = re.compile(
    r"(?<![\w.])(torch|nn|optimizer|scheduler)\.|param_groups|backward\(|state_dict"
)
_PART = re.compile(r"\.l\d+$")  # one layer of a recurrent module
_MOST_LINES = 12


def path(layer: Layer) -> str:
    """Where a layer is: `model.encoder[0].fc`."""
    name = layer.name
    if layer.kind.startswith(("RNN", "LSTM", "GRU")):
        name = _PART.sub("", name)
    if name == layer.kind:  # the model is this layer
        return "model"
    parts = name.split(".")
    if not all(part.isdigit() or part.isidentifier() for part in parts):
        return f"model.get_submodule({name!r})"
    return "model" + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in parts)


def lines(several: Iterable[str]) -> str:
    """One below the other; of very many the first."""
    found = list(several)
    rest = len(found) - _MOST_LINES
    return "\n".join([*found[:_MOST_LINES], *([f"# and {rest} more alike"] if rest > 0 else [])])


def can_be_made(window: Window) -> bool:
    """Whether the optimizer of the run can be written down: one of torch's, with one group."""
    settings = optimizer(window)
    ours = settings.get("groups", 1) == 1 and settings.get("name") in _OPTIMIZERS
    return ours and not _is_keras(window)


def _is_keras(window: Window) -> bool:
    return optimizer(window).get("framework") == _KERAS


def can_be_pasted(code: str, window: Window) -> bool:
    """Whether a line is of use in the program: not one of torch among lines of Keras."""
    return not (_is_keras(window) and _OF_TORCH.search(code))


def rate_line(window: Window, now: float | None, factor: float) -> str:
    """Another learning rate: `factor` times that of now, as far as it is known."""
    if now is None:
        return f'for group in optimizer.param_groups: group["lr"] *= {short(factor)}'
    new, was = rounded(now * factor), f"was {short(now)}"
    if _is_keras(window):
        return f"model.optimizer.learning_rate = {short(new)}  # {was}"
    if optimizer(window).get("name") == _BY_HAND:
        return f"lr = {short(new)}  # in your own update of the weights; {was}"
    if can_be_made(window):
        return f"{optimizer_line(window, lr=new)}  # lr {was}"
    return f'for group in optimizer.param_groups: group["lr"] *= {short(factor)}'


def optimizer_line(window: Window, name: str = "", **changes: Any) -> str:
    """The optimizer of the run, made with other settings; those of the user stay.

    With several groups, or an optimizer that is not torch's, its groups are changed instead.
    """
    settings = {**optimizer(window), **changes}
    kind = name or str(settings.get("name", ""))
    if not can_be_made(window):
        changed = " ".join(f'group["{key}"] = {_value(value)};' for key, value in changes.items())
        return f"for group in optimizer.param_groups: {changed.rstrip(';')}"
    settings["lr"] = changes.get("lr", rate(window))
    written = [
        f"{key}={_value(settings[key])}"
        for key in ("lr", *_USUAL)
        if settings.get(key) is not None and _is_unusual(key, settings[key])
    ]
    return f"optimizer = torch.optim.{kind}({', '.join(['model.parameters()', *written])})"


def _is_unusual(key: str, value: Any) -> bool:
    usual = _USUAL.get(key)
    return tuple(value) != usual if isinstance(value, list) else value != usual


def _value(value: Any) -> str:
    if isinstance(value, float):
        return short(value)
    return repr(tuple(value)) if isinstance(value, list) else repr(value)


def renamed(code: str, names: Mapping[str, str]) -> str:
    """With the names that the program uses, by ours: `{"model": "self.net"}`."""
    for ours, theirs in names.items():
        if theirs and theirs != ours:
            code = re.sub(rf"(?<![\w.]){ours}(?=[.\[(,)]| =|$)", theirs.replace("\\", ""), code)
    return code
