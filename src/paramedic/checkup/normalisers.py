"""Normalisation recognised by what it does: a larger input gives the same output.

A module with a scale or an offset per feature and no modules inside is asked about its own input
ten times as large. The output of a normalisation stays; that of one that divides by the variance
instead of its root becomes ten times smaller; any other becomes larger.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

_BUILT_IN = (
    nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.modules.batchnorm._NormBase, nn.LocalResponseNorm,
)  # fmt: skip
_NEARLY = 0.1  # how far a degree may be from a whole number
_EXACTLY = 0.01  # the same, where rows are compared: epsilon must not be what tells them apart
_FLAT = 1e-12  # variance of rows that have nothing to normalise


@dataclass(frozen=True, slots=True)
class Normaliser:
    """A normalisation and what it does.

    `degree` is the power of the scale of the input with which the output grows. `sizes` are the
    root mean squares of the rows of the output along the last axis; empty where the module is not
    called a layer normalisation (others have their own axes), or its scale is not known.
    """

    name: str
    degree: float
    sizes: Tensor
    built_in: bool

    @property
    def normalises(self) -> bool:
        return self.built_in or abs(self.degree) < _NEARLY

    @property
    def divides_twice(self) -> bool:
        """By the variance, not by its root."""
        return not self.built_in and abs(self.degree + 1) < _NEARLY


@contextlib.contextmanager
def normalisers_of(model: nn.Module) -> Iterator[list[Normaliser]]:
    """The normalisations that run meanwhile, in the order of execution."""
    found: dict[str, Normaliser] = {}
    listed: list[Normaliser] = []
    handles = [
        module.register_forward_hook(_hook(name, module, found, listed))
        for name, module in model.named_modules()
        if _may_normalise(module)
    ]
    try:
        yield listed
    finally:
        for handle in handles:
            handle.remove()


def _may_normalise(module: nn.Module) -> bool:
    if isinstance(module, _BUILT_IN):
        return True
    own = list(module.parameters())
    lone = next(module.children(), None) is None
    return lone and 0 < len(own) <= 2 and all(one.dim() == 1 for one in own)


def _hook(
    name: str, module: nn.Module, found: dict[str, Normaliser], listed: list[Normaliser]
) -> object:
    def hook(_: nn.Module, args: tuple[object, ...], output: object) -> None:
        given = args[0] if args else None
        if name in found or not isinstance(given, Tensor) or not isinstance(output, Tensor):
            return
        if given.shape != output.shape or not output.is_floating_point():
            return
        found[name] = _examined(name, module, given.detach(), output.detach())
        if found[name].normalises or found[name].divides_twice:
            listed.append(found[name])

    return hook


def _examined(name: str, module: nn.Module, given: Tensor, output: Tensor) -> Normaliser:
    if isinstance(module, _BUILT_IN):
        return Normaliser(name, 0.0, torch.empty(0), built_in=True)
    with torch.no_grad():
        degree = _degree(output, module.forward(10 * given))
    judged = abs(degree) < _EXACTLY and _is_layer_norm(module, given.shape[-1])
    sizes = _sizes(given, output) if judged else torch.empty(0)
    return Normaliser(name, degree, sizes, built_in=False)


def _degree(output: Tensor, larger: Tensor) -> float:
    one, other = (float(each.double().square().mean()) for each in (output, larger))
    if one <= 0 or other <= 0 or not math.isfinite(other):
        return math.nan
    return 0.5 * math.log10(other / one)


def _sizes(given: Tensor, output: Tensor) -> Tensor:
    """Sizes of the rows that have something to normalise."""
    features = given.shape[-1]
    spread = given.double().reshape(-1, features).var(-1, correction=0)
    rows = output.double().reshape(-1, features)
    return rows[spread > _FLAT].square().mean(-1).sqrt()


def _is_layer_norm(module: nn.Module, features: int) -> bool:
    """Called so, with a scale of ones and perhaps an offset of zeros, as such a module begins."""
    title = type(module).__name__.lower()
    if not (title.startswith("ln") or ("norm" in title and ("layer" in title or "rms" in title))):
        return False
    flat = [one.detach() for one in module.parameters()]
    return all(
        len(one) == features and bool((one == one[0]).all()) and float(one[0]) in (0.0, 1.0)
        for one in flat
    )
