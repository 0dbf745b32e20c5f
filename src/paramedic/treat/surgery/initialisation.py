"""Weights drawn anew, on a scale that suits the activation that follows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.probe.layers import NORMALISATIONS
from paramedic.probe.randomness import random_streams
from paramedic.probe.randomness import seed as begin_at
from paramedic.treat.surgery.anatomy import Anatomy
from paramedic.treat.surgery.calling import copied
from paramedic.treat.surgery.operation import Operation, Refusal
from paramedic.treat.surgery.places import expression, is_within, listed
from paramedic.treat.surgery.survey import CONVOLUTIONS, RECURRENT, survey
from paramedic.treat.surgery.verification import verified

_WEIGHTED = (nn.Linear, nn.Bilinear, *CONVOLUTIONS)
_NAMES = {"glorot": "xavier", "kaiming": "he", "xavier": "xavier", "he": "he"}
_SMOOTH = frozenset({"gelu", "silu", "mish", "hardswish", "softplus", "elu", "celu", "rrelu"})
_GAINS = {"tanh": (5 / 3, "5 / 3")}
_RECTIFYING = frozenset({"relu", "relu6", "leakyrelu", "prelu", "threshold"}) | _SMOOTH


def reinitialise(
    model: nn.Module,
    example: Any,
    *,
    scheme: str | None = None,
    layers: Iterable[str] | None = None,
    seed: int = 0,
) -> Operation:
    """Draw the weights of layers anew; biases begin at zero.

    `scheme` is `xavier`, `he`, `orthogonal`, or None: He's before rectifiers, Xavier's (with the
    gain of tanh) before bounded functions and at the output, LeCun's before SELU; recurrent weights
    are orthogonal. `layers` are names of modules, with all that is in them; None means all.
    Frozen weights are left as they are. The same seed gives the same weights.
    """
    chosen = _scheme(scheme)
    changed = copied(model, example)
    anatomy = Anatomy(survey(changed, example))
    targets = _targets(changed, layers)
    writer = _Writer(chosen, anatomy)
    with random_streams(), torch.no_grad():
        begin_at(seed)
        for name, module in targets:
            writer.write(changed, name, module)
    if not writer.done:
        raise Refusal(_nothing(layers))
    done = verified(model, changed, example, what="drawing the weights anew")
    used = " and ".join(dict.fromkeys(writer.schemes))
    return Operation(
        model=done,
        description=f"Drew the weights of {listed(writer.done)} anew ({used}).",
        code="\n".join(writer.lines),
        layers=tuple(writer.done),
    )


def _scheme(scheme: str | None) -> str | None:
    if scheme is None:
        return None
    plain = scheme.lower().removesuffix("'s")
    found = "orthogonal" if plain == "orthogonal" else _NAMES.get(plain)
    if found is None:
        raise ValueError(
            f"`scheme` must be `xavier`, `he`, `orthogonal` or None but got `{scheme}`."
        )
    return found


def _nothing(layers: Iterable[str] | None) -> str:
    where = f"in {listed(list(layers))} " if layers is not None else ""
    return (
        f"There are no weights {where}that could be drawn anew: they are frozen, computed from "
        "others, or in modules without `reset_parameters`. Draw them in the model's own code."
    )


def _targets(model: nn.Module, layers: Iterable[str] | None) -> list[tuple[str, nn.Module]]:
    """The modules with weights of their own; embeddings last, since a layer may share theirs."""
    modules = dict(model.named_modules())
    if layers is not None:
        layers = list(layers)
        unknown = [name for name in layers if name not in modules]
        if unknown:
            raise Refusal(f"There is no layer {listed(unknown)} in the model.")
        modules = {name: module for name, module in modules.items() if is_within(name, layers)}
    own = [(name, module) for name, module in modules.items() if _own(module)]
    return sorted(own, key=lambda pair: isinstance(pair[1], nn.Embedding | nn.EmbeddingBag))


def _own(module: nn.Module) -> list[Tensor]:
    return [one for one in module._parameters.values() if one is not None]


class _Writer:
    """Writes weights, each once however often it is shared."""

    def __init__(self, scheme: str | None, anatomy: Anatomy) -> None:
        self.scheme, self.anatomy = scheme, anatomy
        self.done: list[str] = []
        self.schemes: list[str] = []
        self.lines: list[str] = []
        self._written: set[int] = set()

    def write(self, model: nn.Module, name: str, module: nn.Module) -> None:
        own = _own(module)
        fresh = [one for one in own if id(one) not in self._written and one.requires_grad]
        if len(fresh) < len(own) and not isinstance(module, (*_WEIGHTED, *RECURRENT)):
            return  # their own reset would write to what must stay
        computed = isinstance(module, _WEIGHTED) and "weight" not in module._parameters
        if not fresh or computed:
            return
        where = expression(model, name)
        if isinstance(module, _WEIGHTED):
            self._weighted(name, module, fresh, where)
        elif isinstance(module, RECURRENT):
            self._recurrent(module, fresh, where)
        elif not self._reset(module, where):
            return
        self._written.update(id(one) for one in fresh)
        self.done.append(name or type(model).__name__)

    def _weighted(self, name: str, module: nn.Module, fresh: list[Tensor], where: str) -> None:
        follows = next(
            (self.anatomy.activation_after(step) for step in self.anatomy.calls(name)), None
        )
        for one in fresh:
            if one is module.weight and one.dim() > 1:
                title, call = _draw(one, self.scheme, follows)
                self.schemes.append(title)
                self.lines.append(call.replace("…", f"{where}.weight", 1))
            else:
                nn.init.zeros_(one)
                self.lines.append(f"nn.init.zeros_({where}.bias)")

    def _recurrent(self, module: nn.Module, fresh: list[Tensor], where: str) -> None:
        ours = {id(one) for one in fresh}
        for name, one in module.named_parameters(recurse=False):
            if id(one) not in ours:
                continue
            self._recurrent_weight(module, one, name, f"{where}.{name}")
        self.schemes.append("orthogonal")

    def _recurrent_weight(self, module: nn.Module, one: Tensor, name: str, where: str) -> None:
        if one.dim() < 2:
            nn.init.zeros_(one)
            self.lines.append(f"nn.init.zeros_({where})")
            if isinstance(module, nn.LSTM | nn.LSTMCell) and "_ih" in name:
                begin, end = len(one) // 4, len(one) // 2
                one[begin:end] = 1.0  # remember until told to forget
                self.lines.append(f"{where}.data[{begin}:{end}] = 1.0")
            return
        orthogonal = "_hh" in name or self.scheme == "orthogonal"
        size = _gate(module, one)
        for gate in torch.split(one, size):
            (nn.init.orthogonal_ if orthogonal else nn.init.xavier_uniform_)(gate)
        call = "orthogonal_" if orthogonal else "xavier_uniform_"
        self.lines.append(f"for gate in {where}.data.split({size}):")
        self.lines.append(f"    nn.init.{call}(gate)")

    def _reset(self, module: nn.Module, where: str) -> bool:
        name = "reset_parameters" if hasattr(module, "reset_parameters") else "_reset_parameters"
        if not hasattr(module, name):
            return False
        getattr(module, name)()
        self.schemes.append("ones" if isinstance(module, NORMALISATIONS) else "its own rule")
        self.lines.append(f"{where}.{name}()")
        return True


def _gate(module: nn.Module, weight: Tensor) -> int:
    size = module.hidden_size
    return int(size) if weight.shape[0] % int(size) == 0 else weight.shape[0]  # type: ignore[arg-type]


def _draw(weight: Tensor, scheme: str | None, follows: str | None) -> tuple[str, str]:
    """Write to a weight; the name of what was done, and its code."""
    gain, gain_code = _GAINS.get(follows or "", (1.0, "1.0"))
    if scheme == "orthogonal":
        if follows in _RECTIFYING:
            gain, gain_code = 2**0.5, "2**0.5"
        nn.init.orthogonal_(weight, gain=gain)
        return "orthogonal", f"nn.init.orthogonal_(…, gain={gain_code})"
    if scheme is None and follows == "selu":
        nn.init.kaiming_normal_(weight, nonlinearity="linear")
        return "LeCun", 'nn.init.kaiming_normal_(…, nonlinearity="linear")'
    if scheme == "he" or (scheme is None and follows in _RECTIFYING):
        nn.init.kaiming_uniform_(weight, nonlinearity="relu")
        return "He", 'nn.init.kaiming_uniform_(…, nonlinearity="relu")'
    nn.init.xavier_uniform_(weight, gain=gain)
    return "Xavier", f"nn.init.xavier_uniform_(…, gain={gain_code})"
