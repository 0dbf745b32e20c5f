"""What a forward pass leaves in the model: running means and the like.

A batch that is not finite poisons them for good although its step was never taken, so a copy of
each is kept as it was after the last good step.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

Table = dict[str, Tensor | None]
_SMALL = 2**15  # values; batch normalisation writes to its buffers without telling their version


def named_buffers(models: Iterable[nn.Module]) -> list[tuple[Table, str]]:
    """Where each buffer of the models is found, once each."""
    modules = {id(module): module for model in models for module in model.modules()}
    return [(module._buffers, name) for module in modules.values() for name in module._buffers]


class Buffers:
    """Keeps a copy of each buffer; large ones (masks, tables) are copied only if they changed."""

    def __init__(self, models: Iterable[nn.Module]) -> None:
        self._places = named_buffers(models)
        self._marks: list[tuple[int, int] | None] = [None] * len(self._places)
        self._copies: list[Tensor | None] = [None] * len(self._places)

    def keep(self) -> None:
        """This is a good state."""
        if self._places:
            self._keep()

    @torch.no_grad()
    def _keep(self) -> None:
        for place, (table, name) in enumerate(self._places):
            buffer = table.get(name)
            if buffer is None or self._is_as_kept(place, buffer):
                continue
            copy = self._copies[place]
            if copy is not None and copy.shape == buffer.shape and copy.dtype is buffer.dtype:
                copy.copy_(buffer)
            else:  # a large one to the host, where there is room for it
                target = "cpu" if buffer.numel() > _SMALL else buffer.device
                self._copies[place] = buffer.detach().to(target, copy=True)
            self._marks[place] = (id(buffer), buffer._version)

    @torch.no_grad()
    def restore(self) -> None:
        """Go back to the last good state."""
        for place, (table, name) in enumerate(self._places):
            buffer, copy = table.get(name), self._copies[place]
            if buffer is None or copy is None or self._is_as_kept(place, buffer):
                continue
            if buffer.shape == copy.shape and buffer.dtype is copy.dtype:
                buffer.copy_(copy)
            else:
                table[name] = buffer = copy.to(buffer.device, copy=True)
            self._marks[place] = (id(buffer), buffer._version)

    def _is_as_kept(self, place: int, buffer: Tensor) -> bool:
        mark = (id(buffer), buffer._version)
        return buffer.numel() > _SMALL and self._marks[place] == mark
