"""Labels that belong to other samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from paramedic.inject.fault import Fault
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class UninformativeLabels(Fault):
    """The targets of each batch are shuffled. They have to come through `injection.batch`."""

    slug = "uninformative-labels"
    wakes = "uninformative-labels"
    aliases = ("label-shuffling",)
    neighbours = frozenset({"loss-plateau"})
    lasting = True
    reads_batch = True
    needs = "no targets came through `injection.batch` as a tensor"

    def begin(self, site: Site) -> None:
        def shuffled(inputs: Any, targets: Any) -> tuple[Any, Any]:
            orders: dict[int, Tensor] = {}  # what belongs together stays together

            def move(target: Any) -> Any:
                if not isinstance(target, Tensor) or not target.dim():
                    return target
                site.tell("the targets shuffled")
                size = len(target)
                if size not in orders:
                    orders[size] = torch.randperm(size, generator=site.generator)
                return target[orders[size].to(target.device)]

            return inputs, tree_map(move, targets)

        site.on_batch(shuffled)
