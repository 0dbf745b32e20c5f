"""Where weights meet activations: each product of a parameter with something that is not one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from torch import Tensor, nn

from paramedic.checkup.operations import Watcher
from paramedic.checkup.origins import Origins

_LEFT_RIGHT = {
    "mm": ("self", "mat2"),
    "bmm": ("self", "mat2"),
    "addmm": ("mat1", "mat2"),
    "baddbmm": ("batch1", "batch2"),
    "mv": ("self", "vec"),
}
_CONVOLUTIONS = ("convolution", "_convolution", "cudnn_convolution", "mkldnn_convolution")


class Product(NamedTuple):
    """A parameter, how many inputs each of its units adds up, and those inputs.

    `depthwise`: its units look at different inputs, so that equal weights are not equal units.
    """

    parameter: str
    fan_in: int
    operand: Tensor
    depthwise: bool = False


class Products(Watcher):
    """Records the products of a forward pass, the first of each parameter."""

    def __init__(self, model: nn.Module) -> None:
        self._origins = Origins(model)
        self.found: dict[str, Product] = {}

    def seen(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        if name in _LEFT_RIGHT:
            left, right = (given[side] for side in _LEFT_RIGHT[name])
            self._product(right, left, left.shape[-1])
            self._product(left, right, left.shape[-1])
        elif name in _CONVOLUTIONS:
            self._convolution(given)
        self._origins.follow(name, given, result)

    def _product(self, weight: Tensor, operand: Tensor, fan_in: int) -> None:
        name = self._origins.name_of(weight)
        if name is not None and not self._origins.is_weight(operand):
            self.found.setdefault(name, Product(name, fan_in, operand.detach()))

    def _convolution(self, given: Mapping[str, Any]) -> None:
        weight, operand = given["weight"], given.get("input", given.get("self"))
        name = self._origins.name_of(weight)
        if name is None or not isinstance(operand, Tensor):
            return
        groups = int(given.get("groups", 1))
        fan_in = weight.numel() // weight.shape[0]
        if given.get("transposed"):  # [inputs, outputs, …]: each output adds up the inputs
            fan_in = max(1, fan_in * weight.shape[0] // (weight.shape[1] * _all(given["stride"])))
        alone = groups > 1 and weight.shape[1] == 1
        self.found.setdefault(name, Product(name, fan_in, operand.detach(), alone))


def _all(sizes: Any) -> int:
    product = 1
    for size in sizes:
        product *= int(size)
    return product
