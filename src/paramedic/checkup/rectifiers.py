"""Rectified units: which never speak, whatever the sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from paramedic.checkup.operations import Watcher, Whereabouts

_RECTIFIERS = ("relu", "relu_", "clamp_min", "clamp_min_", "threshold", "hardtanh")


class Rectifiers(Watcher):
    """Records the share of units that are zero for all samples, per place."""

    def __init__(self, model: nn.Module) -> None:
        self.place = Whereabouts(model)
        self.dead: dict[str, float] = {}

    def seen(self, name: str, given: Mapping[str, Any], result: Any) -> None:
        if name not in _RECTIFIERS or not isinstance(result, Tensor) or result.dim() < 2:
            return
        axis = 1 if result.dim() > 3 else result.dim() - 1
        units = result.detach().movedim(axis, 0).flatten(1)
        share = float((units == 0).all(dim=1).double().mean())
        place = self.place.now
        self.dead[place] = max(share, self.dead.get(place, 0.0)) if len(units) >= 8 else 0.0
