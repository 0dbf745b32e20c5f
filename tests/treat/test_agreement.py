"""Several processes: all ranks see the same facts and act together.

Processes take seconds to start, so two of them do everything, and each test looks at a part.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

import paramedic
from paramedic.diagnose.case import Case
from paramedic.treat import facts as facts_module
from paramedic.treat.agreement import Agreement, Report
from paramedic.treat.facts import Facts
from paramedic.types import Finding, Remedy, Safety, Severity

from ..probe.test_distributed import _join, _spawn

pytestmark = pytest.mark.skipif(not dist.is_available(), reason="torch without distributed")


def _worker(rank: int, port: int, folder: str) -> None:
    _join(rank, port)
    seen = {
        "exchanged": _exchanged(rank),
        "ddp": _treated(rank, "ddp"),
        "fsdp": _treated(rank, "fsdp"),
        "failing": _failing(rank),
    }
    Path(folder, f"rank{rank}.json").write_text(json.dumps(seen))
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the two ranks have seen."""
    return _spawn(_worker, tmp_path_factory.mktemp("ranks"))


def test_alone_nothing_is_exchanged() -> None:
    report = Report(Facts(1, 2.0, 3.0, 0.1), 7, {"cause": "x"})
    agreement = Agreement()
    assert agreement.reach(report) is report
    assert agreement.first(3) == 3


# -- numbers and orders --------------------------------------------------------------------------


def _exchanged(rank: int) -> dict[str, Any]:
    agreement = Agreement()
    losses = (2.0, math.nan)
    mine = Facts(4, losses[rank], 1.0 + rank, 0.1, finite=rank == 0, from_data=rank == 1)
    letter = {"cause": "é", "began": 3} if rank == 0 else None
    agreed = agreement.reach(Report(mine, 10 + rank, letter))
    failed = agreement.reach(Report(mine if rank == 0 else None))
    assert agreed.facts is not None
    return {
        "loss": agreed.facts.loss, "norm": agreed.facts.norm, "finite": agreed.facts.finite,
        "from_data": agreed.facts.from_data, "every": agreed.every, "letter": agreed.letter,
        "failed": failed.facts is None, "first": agreement.first(5 + rank),
    }  # fmt: skip


def test_what_ranks_agree_on(both: list[dict[str, Any]]) -> None:
    first, second = (one["exchanged"] for one in both)
    assert first == second
    assert first == {
        "loss": 2.0, "norm": 2.0, "finite": False, "from_data": True, "every": 11,
        "letter": {"cause": "é", "began": 3}, "failed": True, "first": 5,
    }  # fmt: skip


# -- runs ----------------------------------------------------------------------------------------


def _shared(kind: str) -> nn.Module:
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 6))
    if kind == "ddp":
        return nn.parallel.DistributedDataParallel(model)
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    return fully_shard(model, mesh=init_device_mesh("cpu", (2,)))  # type: ignore[return-value]


def _treated(rank: int, kind: str) -> dict[str, Any]:
    torch.manual_seed(0)
    model = _shared(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with paramedic.watch(model, optimizer, treat="auto", strict=True, rules=None) as monitor:
        for step in range(130):
            _train(step, rank, model, optimizer)
            if step == 20 and rank == 0:  # only one rank is certain of it
                finding = Finding("X001", "overfitting", Severity.WARNING, 0.9, "!", 20)
                slower = Remedy("a", "A", 0.9, Safety.SAFE, "scale-rate", {"factor": 0.5})
                monitor._attendant.case_opened(Case(finding, 20, 20), [slower])
    return _told(model, monitor)


def _train(step: int, rank: int, model: nn.Module, optimizer: Any) -> None:
    x, y = _batch(step, rank)
    if step == 60 and rank == 1:  # only one rank sees it
        x[0, 0] = math.nan
    for group in optimizer.param_groups:
        group["lr"] = 20.0 if step >= 100 else 0.1
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()


def _batch(step: int, rank: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(2 * step + rank)
    centres = 0.8 * torch.randn(6, 8, generator=torch.Generator().manual_seed(99))
    y = torch.randint(0, 6, (16,), generator=generator)
    return centres[y] + torch.randn(16, 8, generator=generator), y


def _told(model: nn.Module, monitor: Any) -> dict[str, Any]:
    return {
        "actions": [(event.data["action"], event.step) for event in monitor.interventions],
        "weights": [_whole(one) for one in model.parameters()],
        "not_checked": monitor.not_checked,
        "steps": monitor.last_step + 1,
    }


def _whole(parameter: Any) -> list[Any]:
    whole = parameter.full_tensor() if hasattr(parameter, "full_tensor") else parameter
    values: list[Any] = whole.detach().tolist()
    return values


@pytest.mark.parametrize("kind", ["ddp", "fsdp"])
def test_all_ranks_act_together(kind: str, both: list[dict[str, Any]]) -> None:
    first, second = (one[kind] for one in both)
    assert first == second
    actions = dict(first["actions"])
    assert first["actions"][:2] == [["scale-rate", 21], ["skip-step", 60]]
    assert 100 < actions["roll-back"] < 130
    assert all(math.isfinite(value) for row in first["weights"][0] for value in row)


# -- failures ------------------------------------------------------------------------------------


def _failing(rank: int) -> dict[str, Any]:
    model = nn.parallel.DistributedDataParallel(nn.Linear(8, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    reading = facts_module.Reader.facts

    def broken(self: Any, step: int, *args: Any) -> Any:
        if rank == 1 and step == 10:
            raise ZeroDivisionError("a bug of ours")
        return reading(self, step, *args)

    facts_module.Reader.facts = broken  # type: ignore[method-assign]
    with paramedic.watch(model, optimizer, treat="auto") as monitor:
        for step in range(30):
            _train(step, 0, model, optimizer)
    return _told(model, monitor)


def test_one_rank_that_fails_does_not_leave_the_others_waiting(both: list[dict[str, Any]]) -> None:
    first, second = (one["failing"] for one in both)
    assert first["steps"] == second["steps"] == 30
    assert "another rank" in first["not_checked"]["treatment"]
    assert "a bug of ours" in second["not_checked"]["treatment"]
