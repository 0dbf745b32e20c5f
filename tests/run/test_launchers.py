"""`torchrun` starts several processes: the first one tells and writes, the others are silent."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch.distributed

from tests.run.support import script
from tests.run.test_program import ENVIRONMENT

DISTRIBUTED = """
import os, sys
import torch
import torch.distributed as dist
from torch import nn

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
mine = slice(rank * 128, rank * 128 + 128)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
model = nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=float(sys.argv[1]))
for _ in range(60):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x[mine]), y[mine]).backward()
    optimizer.step()
os.write(1, f"rank {rank} of {dist.get_world_size()}: {net[0].weight.sum():.6f}\\n".encode())
dist.barrier()
dist.destroy_process_group()
"""
pytestmark = pytest.mark.skipif(
    not (torch.distributed.is_available() and torch.distributed.is_gloo_available()),
    reason="torch was built without gloo",
)


def launched(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Two processes, as `torchrun` starts them."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    environment = {**ENVIRONMENT, "OMP_NUM_THREADS": "1", "TMPDIR": str(folder)}
    return subprocess.run(
        [*launcher, "--nproc-per-node", "2", *words], cwd=folder, env=environment,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_one_speaks_for_all(tmp_path: Path) -> None:
    script(tmp_path, DISTRIBUTED)
    options = ["--json", "report.json", "--trace", "run.db"]
    done = launched(tmp_path, "-m", "paramedic", "run", *options, "train.py", "1e-6")
    assert done.returncode == 1  # the launcher's own code for a process that did not exit with 0
    assert done.stderr.count("Suspicion: learning-rate-too-low") == 1
    told = sorted(done.stdout.splitlines())
    assert [line.split(":")[0] for line in told] == ["rank 0 of 2", "rank 1 of 2"]
    assert told[0].split()[-1] == told[1].split()[-1]  # the same weights
    report = json.loads((tmp_path / "report.json").read_text())
    found = report["trainings"][0]["findings"][0]
    assert found["slug"] == "learning-rate-too-low"
    assert found["source"][0]["line"] == 16
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["run.db"]


def test_a_healthy_run_exits_with_zero(tmp_path: Path) -> None:
    script(tmp_path, DISTRIBUTED)
    plain = launched(tmp_path, "train.py", "0.1")
    ours = launched(tmp_path, "-m", "paramedic", "run", "--quiet", "train.py", "0.1")
    assert (plain.returncode, ours.returncode) == (0, 0), plain.stderr + ours.stderr
    assert sorted(ours.stdout.splitlines()) == sorted(plain.stdout.splitlines())
    assert "paramedic" not in ours.stderr
