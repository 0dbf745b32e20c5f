"""Stacks of equal blocks, and the scale of what goes through them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from torch import Tensor, nn


@dataclass(slots=True)
class Stack:
    """Blocks of one class that hand a tensor of one shape from one to the next."""

    names: list[str]
    sizes: list[float] = field(default_factory=list)  # of the first input and of each output

    @property
    def growth(self) -> float:
        """The size of what comes out over the size of what goes in; 1 if that was not seen."""
        complete = len(self.sizes) == len(self.names) + 1 and self.sizes[0] > 0
        return self.sizes[-1] / self.sizes[0] if complete else 1.0


@contextlib.contextmanager
def stacks_of(model: nn.Module, least: int) -> Iterator[list[Stack]]:
    """The stacks of at least so many blocks, and the sizes that are seen meanwhile."""
    stacks, handles = [], []
    for name, parent in model.named_modules():
        children = list(parent.named_children())
        blocks = [(one, child) for one, child in children if next(child.children(), None)]
        kinds = {type(child) for _, child in blocks}
        if len(kinds) == 1 and len(blocks) >= least and len(blocks) == len(children):
            stack = Stack([f"{name}.{one}".lstrip(".") for one, _ in blocks])
            stacks.append(stack)
            handles += [child.register_forward_hook(_hook(stack)) for _, child in blocks]
    try:
        yield stacks
    finally:
        for handle in handles:
            handle.remove()


def _hook(stack: Stack) -> object:
    def hook(module: nn.Module, args: tuple[object, ...], output: object) -> None:
        given = args[0] if args else None
        result = output[0] if isinstance(output, tuple) and output else output
        if not isinstance(given, Tensor) or not isinstance(result, Tensor):
            return
        if given.shape == result.shape and result.is_floating_point():
            if not stack.sizes:
                stack.sizes.append(_size(given))
            stack.sizes.append(_size(result))

    return hook


def _size(tensor: Tensor) -> float:
    return float(tensor.detach().double().square().mean().sqrt())
