"""Which modules belong to which optimizers: what is trained together is watched together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from torch import Tensor, nn
from torch.optim import Optimizer

from paramedic.probe.graph import leaf_tensors
from paramedic.probe.tree import weights_of


@dataclass(slots=True)
class Pair:
    """The models that some optimizers train."""

    models: list[nn.Module] = field(default_factory=list)
    optimizers: list[Optimizer] = field(default_factory=list)


class LooseParameters(nn.Module):
    """Tensors that an optimizer trains and no module owns, as a module."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        super().__init__()
        for place, tensor in enumerate(tensors):
            self._parameters[f"tensor{place}"] = tensor  # type: ignore[assignment]


def held(optimizers: Iterable[Optimizer]) -> dict[int, Tensor]:
    """The parameters of some optimizers, by `id`."""
    return {
        id(parameter): parameter
        for optimizer in optimizers
        for group in getattr(optimizer, "param_groups", ())
        for parameter in group["params"]
    }


def outermost(modules: Sequence[nn.Module]) -> list[nn.Module]:
    """The modules that are not part of another one."""
    parts = {id(part) for module in modules for part in module._modules.values()}
    return [module for module in modules if id(module) not in parts]


def owners(
    tensors: Mapping[int, Tensor], roots: Sequence[nn.Module], called: nn.Module | None = None
) -> tuple[list[nn.Module], list[Tensor]]:
    """The outermost modules that own parameters, given by `id`, and what none of them owns.

    Of modules that share parameters the one that was `called` comes first, then the one that owns
    most of them, then the newest.
    """
    missing = dict(tensors)
    owned = [(root, [id(one) for one in weights_of(root)]) for root in reversed(roots)]
    ranked = sorted(
        ((root, mine) for root, mine in owned if not missing.keys().isdisjoint(mine)),
        key=lambda pair: (pair[0] is not called, -len(missing.keys() & set(pair[1]))),
    )
    found: list[nn.Module] = []
    for root, mine in ranked:
        if not missing.keys().isdisjoint(mine):
            found.append(root)
            for one in mine:
                missing.pop(one, None)
    return found, list(missing.values())


def pairs(owned: Mapping[int, Sequence[nn.Module]], optimizers: Sequence[Optimizer]) -> list[Pair]:
    """Optimizers that train parts of the same module stand together."""
    found: list[Pair] = []
    for optimizer in optimizers:
        pair = Pair(list(owned[id(optimizer)]), [optimizer])
        for other in list(found):
            if any(one is two for one in pair.models for two in other.models):
                pair = joined([other, pair])
                found.remove(other)
        found.append(pair)
    return found


def joined(several: Sequence[Pair]) -> Pair:
    """One pair of several, each model and optimizer once."""
    models = {id(one): one for pair in several for one in pair.models}
    optimizers = {id(one): one for pair in several for one in pair.optimizers}
    return Pair(list(models.values()), list(optimizers.values()))


def leaves(roots: Iterable[Tensor]) -> set[int]:
    """The `id` of each parameter that a loss depends on."""
    return {id(leaf) for leaf in leaf_tensors(roots)}
