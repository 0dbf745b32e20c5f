"""Working with other ranks: who writes, and how numbers of shards become numbers of layers.

Every function here that talks to other ranks is called by all of them at the same step, which
the schedule sees to; without a process group, or without sharded tensors, nothing is sent.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor

from paramedic.probe.moments import Moments, merge
from paramedic.probe.tensors import is_sharded

Doubles = NDArray[np.float64]
_PATIENCE = timedelta(seconds=30)  # in which the other ranks have to begin as well
_agreements = itertools.count()


def rank() -> int:
    """The rank of this process, 0 without a process group."""
    return dist.get_rank() if _is_running() else 0


def world_size() -> int:
    """The number of processes, 1 without a process group."""
    return dist.get_world_size() if _is_running() else 1


def _is_running() -> bool:
    return dist.is_available() and dist.is_initialized()


def agree(tensors: Sequence[Tensor], how: str) -> None:
    """Raise an error unless all ranks that share these tensors begin to be `how` now, `watched` or
    `treated`: numbers of shards are put together, and who waits alone would wait for ever."""
    group = _shard_group(tensors)
    if group is None:
        return
    store: Any = dist.distributed_c10d._get_default_store()
    place = next(_agreements)
    members = dist.get_process_group_ranks(group)
    keys = {one: f"paramedic/{place}/{members}/{one}" for one in members}
    store.set(keys[rank()], how)
    try:
        store.wait(list(keys.values()), _PATIENCE)
        differ = [one for one, key in keys.items() if store.get(key).decode() != how]
    except RuntimeError:  # nobody came
        differ = [one for one, key in keys.items() if not store.check([key])]
    if differ:
        ranks = ", ".join(map(str, differ))
        raise Unfit(
            f"The model is sharded over several processes, and this one is {how}, but rank {ranks} "
            "is not: call `paramedic.watch` with the same options on every rank, or on none."
        )


class Unfit(RuntimeError):
    """These processes cannot be watched, or not by one of them alone."""


class Shards:
    """The process group over which the tensors of a model are sharded, if they are."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.group: Any = _shard_group(tensors)

    def __bool__(self) -> bool:
        return self.group is not None

    def merge(self, moments: Moments) -> Moments:
        """The moments over all shards. Layers that are whole on each rank are counted as often
        as there are ranks, which changes none of their statistics but the counts."""
        mine = torch.from_numpy(moments.table())
        parts = [torch.empty_like(mine) for _ in range(dist.get_world_size(self.group))]
        dist.all_gather(parts, mine, group=self.group)
        total = Moments.from_table(parts[0].numpy())
        for part in parts[1:]:
            total = merge(total, Moments.from_table(part.numpy()))
        return total

    def norms(
        self, tensors: Sequence[Tensor], of_whole: Callable[[Sequence[Tensor]], Doubles]
    ) -> Doubles:
        """The Euclidean norm of each tensor over all its shards; some tensors may be whole."""
        sharded = np.array([is_sharded(tensor) for tensor in tensors])
        result = np.empty(len(tensors))
        for flags, norms_of in ((sharded, _dtensor_norms), (~sharded, of_whole)):
            if flags.any():
                places = np.flatnonzero(flags).tolist()
                result[flags] = norms_of([tensors[place] for place in places])
        return result

    def largest(self, *values: int) -> tuple[int, ...]:
        """The largest of all ranks of each of `values`."""
        shared = torch.tensor(values)
        dist.all_reduce(shared, dist.ReduceOp.MAX, group=self.group)
        return tuple(shared.tolist())


def _shard_group(tensors: Sequence[Tensor]) -> Any:
    for tensor in tensors:
        if not is_sharded(tensor):
            continue
        mesh: Any = tensor.device_mesh  # type: ignore[attr-defined]
        for axis, placement in enumerate(tensor.placements):  # type: ignore[attr-defined]
            if placement.is_shard():
                return mesh.get_group(axis)
    return None


def _dtensor_norms(tensors: Sequence[Tensor]) -> Doubles:
    norms = [torch.linalg.vector_norm(tensor.detach(), dtype=torch.float64) for tensor in tensors]
    whole: Tensor = torch.stack(norms).full_tensor()  # type: ignore[attr-defined]
    result = np.array(whole.tolist(), np.float64)
    return np.where(np.isfinite(result), result, np.inf)
