"""Several processes: every rank sees the same gradients, and rank 0 writes."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

import paramedic
from paramedic import Trace

WORLD = 2
STEPS = 6

pytestmark = pytest.mark.skipif(not dist.is_available(), reason="torch without distributed")


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def _spawn(worker: Any, folder: Path, *args: Any) -> list[dict[str, Any]]:
    mp.start_processes(
        worker, args=(_free_port(), str(folder), *args), nprocs=WORLD, start_method="spawn"
    )
    return [json.loads((folder / f"rank{rank}.json").read_text()) for rank in range(WORLD)]


def _join(rank: int, port: int) -> None:
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=WORLD
    )
    torch.manual_seed(0)


def _model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 7), nn.Tanh(), nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 3))


def _report(rank: int, folder: str, monitor: Any, true: list[float], **more: Any) -> None:
    window = monitor.window()
    found = {
        "norms": window.scalar("grad_norm").tolist(),
        "layers": window.layer("grad_norm")[-1].tolist(),
        "zero": window.layer("grad_zero")[-1].tolist(),
        "weights": window.layer("weight_norm")[-1].tolist(),
        "steps": window.steps.tolist(),
        "true": true,
        "trace": str(monitor.trace),
        **more,
    }
    Path(folder, f"rank{rank}.json").write_text(json.dumps(found))


def _ddp_worker(rank: int, port: int, folder: str) -> None:
    _join(rank, port)
    model = nn.parallel.DistributedDataParallel(_model())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    true = []
    generator = torch.Generator().manual_seed(rank)
    with paramedic.watch(
        model, optimizer, trace=Path(folder, "run.db"), overhead=None, strict=True
    ) as monitor:
        for _ in range(STEPS):
            optimizer.zero_grad()
            model(torch.randn(4, 8, generator=generator)).pow(2).sum().backward()
            true.append(float(torch.cat([p.grad.flatten() for p in model.parameters()]).norm()))
            nn.utils.clip_grad_norm_(model.parameters(), 1e-2)
            optimizer.step()
        _report(rank, folder, monitor, true, names=list(monitor.window().names))
    dist.destroy_process_group()


def test_ddp(tmp_path: Path) -> None:
    first, second = _spawn(_ddp_worker, tmp_path)
    assert first["norms"] == pytest.approx(first["true"], rel=1e-6)
    assert first["norms"] == second["norms"]
    assert first["names"] == ["0", "1", "2", "3", "4"]
    assert second["trace"] == "None"
    assert [path.name for path in tmp_path.glob("*.db")] == ["run.db"]
    with Trace.open(tmp_path / "run.db") as trace:
        assert trace.chart.world_size == WORLD
        assert len(trace) == STEPS


def _fsdp_worker(rank: int, port: int, folder: str, overhead: float | None) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    _join(rank, port)
    model = _model()
    mesh = init_device_mesh("cpu", (WORLD,))
    for layer in (model[0], model[2]):
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    true, layers, zero, weights = [], [], [], []
    steps = STEPS if overhead is None else 60
    generator = torch.Generator().manual_seed(rank)
    with paramedic.watch(model, optimizer, overhead=overhead, strict=True) as monitor:
        for _ in range(steps):
            optimizer.zero_grad()
            model(torch.randn(4, 8, generator=generator)).pow(2).mean().backward()
            whole = [p.grad.full_tensor() for p in model.parameters()]
            true.append(float(torch.cat([g.flatten() for g in whole]).norm()))
            layers = [
                float(torch.cat([w.flatten() for w in whole[i : i + 2]]).norm()) for i in (0, 2, 4)
            ]
            zero = [
                float((torch.cat([w.flatten() for w in whole[i : i + 2]]) == 0).float().mean())
                for i in (0, 2, 4)
            ]
            full = [p.full_tensor().detach() for p in model.parameters()]
            weights = [
                float(torch.cat([w.flatten() for w in full[i : i + 2]]).norm()) for i in (0, 2, 4)
            ]
            nn.utils.clip_grad_norm_(model.parameters(), 1e-2)
            optimizer.step()
        _report(
            rank, folder, monitor, true,
            true_layers=layers, true_zero=zero, true_weights=weights,
        )  # fmt: skip
    dist.destroy_process_group()


def test_fsdp2_norms_cover_all_shards(tmp_path: Path) -> None:
    for found in _spawn(_fsdp_worker, tmp_path, None):
        assert found["norms"] == pytest.approx(found["true"], rel=1e-5)
        assert [found["layers"][i] for i in (0, 2, 4)] == pytest.approx(
            found["true_layers"], rel=1e-5
        )
        assert [found["zero"][i] for i in (0, 2, 4)] == pytest.approx(found["true_zero"], rel=1e-5)
        assert [found["weights"][i] for i in (0, 2, 4)] == pytest.approx(
            found["true_weights"], rel=1e-5
        )


def test_fsdp2_ranks_look_at_the_same_steps(tmp_path: Path) -> None:
    """The schedule goes by the clock, but a look at a sharded model takes all ranks."""
    first, second = _spawn(_fsdp_worker, tmp_path, 0.02)
    assert first["steps"] == second["steps"]
    assert len(first["steps"]) < 60


def _fully_sharded(rank: int, port: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    _join(rank, port)
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    model, mesh = _model(), init_device_mesh("cpu", (WORLD,))
    for layer in (model[0], model[2], model[4], model):
        fully_shard(layer, mesh=mesh)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def _lost_worker(rank: int, port: int, folder: str) -> None:
    model, optimizer = _fully_sharded(rank, port)
    with paramedic.watch(model, optimizer, trace=None, overhead=0.01, strict=True) as monitor:
        for step in range(12):
            optimizer.zero_grad()
            loss = model(torch.randn(4, 8)).pow(2).sum()
            (loss * float("nan") if step > 8 else loss).backward()
            optimizer.step()
    Path(folder, f"rank{rank}.json").write_text(json.dumps({"last": monitor.last_step}))


def test_a_loss_that_is_not_finite_over_freed_shards(tmp_path: Path) -> None:
    """Autograd still has the whole weights, but their memory is freed."""
    assert _spawn(_lost_worker, tmp_path) == [{"last": 11}] * WORLD


def _alone_worker(rank: int, port: int, folder: str) -> None:
    from datetime import timedelta

    from paramedic.probe import ranks

    ranks._PATIENCE = timedelta(seconds=2)
    model, optimizer = _fully_sharded(rank, port)
    told = ""
    if rank == 0:
        with pytest.raises(RuntimeError, match="rank 1 is not") as error:
            paramedic.watch(model, optimizer, trace=None)
        told = str(error.value)
    for _ in range(3):
        model(torch.randn(4, 8)).pow(2).sum().backward()
        optimizer.step()
    Path(folder, f"rank{rank}.json").write_text(json.dumps({"told": told}))
    dist.barrier()


def test_watching_one_rank_of_a_sharded_model_is_refused(tmp_path: Path) -> None:
    first, second = _spawn(_alone_worker, tmp_path)
    assert "on every rank, or on none" in first["told"]
    assert second["told"] == ""
