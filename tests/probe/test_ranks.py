"""Working with other ranks: alone, with simulated ranks, and with a process group of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import Tensor

from paramedic.probe import ranks
from paramedic.probe.moments import Moments, merge, segment_moments
from paramedic.probe.ranks import Shards
from paramedic.probe.tensors import is_sharded, local, values

pytestmark = pytest.mark.skipif(not dist.is_available(), reason="torch without distributed")


def _moments(seed: int, rows: int = 2, size: int = 40) -> Moments:
    x = np.random.default_rng(seed).standard_normal(rows * size).astype(np.float32)
    return segment_moments(x, np.arange(0, rows * size, size))


def _shards() -> Shards:
    """As if the tensors were sharded over a group."""
    shards = Shards([])
    shards.group = "group"
    return shards


def _whole(tensors: Sequence[Tensor]) -> Any:
    return np.array([float(tensor.double().norm()) for tensor in tensors])


# -- alone -----------------------------------------------------------------------------------


def test_alone() -> None:
    assert (ranks.rank(), ranks.world_size()) == (0, 1)


def test_plain_tensors_are_no_shards() -> None:
    assert not Shards([torch.ones(3), torch.ones(2, requires_grad=True)])
    assert not Shards([])
    assert Shards([torch.ones(3)]).group is None


# -- simulated ranks -------------------------------------------------------------------------


@pytest.mark.parametrize("world", [1, 2, 5])
def test_moments_of_all_ranks_are_merged(world: int, monkeypatch: pytest.MonkeyPatch) -> None:
    everyone = [_moments(seed) for seed in range(world)]

    def all_gather(parts: list[Tensor], mine: Tensor, group: Any) -> None:
        assert group == "group"
        assert mine.tolist() == everyone[0].table().tolist()
        for part, its in zip(parts, everyone, strict=True):
            part.copy_(torch.from_numpy(its.table()))

    monkeypatch.setattr(dist, "get_world_size", lambda group=None: world)
    monkeypatch.setattr(dist, "all_gather", all_gather)
    found = _shards().merge(everyone[0])
    expected = everyone[0]
    for other in everyone[1:]:
        expected = merge(expected, other)
    assert found.table() == pytest.approx(expected.table(), rel=1e-12)
    assert found.count.tolist() == [40.0 * world] * 2


def test_a_shard_that_is_empty_on_some_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = _moments(0)

    def all_gather(parts: list[Tensor], _: Tensor, group: Any) -> None:
        parts[0].copy_(torch.from_numpy(Moments.empty(2).table()))
        parts[1].copy_(torch.from_numpy(mine.table()))

    monkeypatch.setattr(dist, "get_world_size", lambda group=None: 2)
    monkeypatch.setattr(dist, "all_gather", all_gather)
    found = _shards().merge(mine)
    assert found.mean.tolist() == mine.mean.tolist()
    assert found.low.tolist() == mine.low.tolist()


def test_the_largest_distance_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_reduce(tensor: Tensor, op: Any, group: Any) -> None:
        assert op == dist.ReduceOp.MAX
        tensor.clamp_(min=17)

    monkeypatch.setattr(dist, "all_reduce", all_reduce)
    assert _shards().largest(5, 3) == (17, 17)
    assert _shards().largest(40, 8) == (40, 17)


def test_whole_tensors_of_a_sharded_model_are_not_gathered() -> None:
    tensors = [torch.tensor([3.0, 4.0]), torch.ones(9)]
    assert _shards().norms(tensors, _whole).tolist() == [5.0, 3.0]


# -- a process group of one ------------------------------------------------------------------


@pytest.fixture
def mesh() -> Iterator[Any]:
    from torch.distributed.device_mesh import init_device_mesh

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield init_device_mesh("cpu", (1,))
    finally:
        dist.destroy_process_group()


def _sharded(tensor: Tensor, mesh: Any) -> Tensor:
    from torch.distributed.tensor import Shard, distribute_tensor

    return distribute_tensor(tensor, mesh, [Shard(0)])


def _replicated(tensor: Tensor, mesh: Any) -> Tensor:
    from torch.distributed.tensor import Replicate, distribute_tensor

    return distribute_tensor(tensor, mesh, [Replicate()])


def test_the_group_of_sharded_tensors_is_found(mesh: Any) -> None:
    assert (ranks.rank(), ranks.world_size()) == (0, 1)
    sharded = _sharded(torch.ones(4), mesh)
    assert Shards([torch.ones(2), sharded])
    assert not Shards([_replicated(torch.ones(4), mesh)])


def test_a_group_of_one_changes_nothing(mesh: Any) -> None:
    shards = Shards([_sharded(torch.ones(4), mesh)])
    moments = _moments(3)
    assert shards.merge(moments).table().tolist() == moments.table().tolist()
    assert shards.largest(12, 3) == (12, 3)


def test_norms_of_sharded_and_whole_tensors(mesh: Any) -> None:
    tensors = [torch.tensor([3.0, 4.0]), torch.arange(6.0).reshape(3, 2), torch.ones(4)]
    mixed = [_sharded(tensors[0], mesh), tensors[1], _sharded(tensors[2], mesh)]
    found = Shards(mixed).norms(mixed, _whole)
    assert found == pytest.approx([float(tensor.norm()) for tensor in tensors], rel=1e-6)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_norms_that_are_not_finite(mesh: Any, bad: float) -> None:
    sharded = [_sharded(torch.tensor([1.0, bad]), mesh), _sharded(torch.ones(4), mesh)]
    assert Shards(sharded).norms(sharded, _whole).tolist() == [float("inf"), 2.0]


@pytest.mark.parametrize("scale", [1e25, 1e-25])
def test_norms_of_very_large_and_small_shards(mesh: Any, scale: float) -> None:
    sharded = [_sharded(torch.full((4,), scale), mesh)]
    assert Shards(sharded).norms(sharded, _whole)[0] / scale == pytest.approx(2.0, rel=1e-5)


def test_the_values_of_a_shard_are_this_ranks_own(mesh: Any) -> None:
    x = torch.arange(6.0).reshape(3, 2)
    sharded = _sharded(x, mesh)
    assert is_sharded(sharded)
    assert not is_sharded(x)
    assert type(local(sharded)) is Tensor
    assert values(sharded).flat.tolist() == x.flatten().tolist()
    assert values(sharded.requires_grad_()).flat.tolist() == x.flatten().tolist()
