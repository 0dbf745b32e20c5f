from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.checkup.case import Case, normal
from tests.checkup.sound import SOUND

CHECK = "sample-independence"


def test_batch_norm_is_fine_in_evaluation_mode() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())
    assert Case(model, normal(6, 4)).entry(CHECK).status == "passed"


def test_batch_norm_without_a_memory_is_not_judged() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4, track_running_stats=False))
    assert "`1` uses the statistics of the batch" in Case(model, normal(6, 4)).entry(CHECK).reason


def test_a_leak_behind_a_branch_that_begins_at_zero() -> None:
    class Gated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.gate = nn.Linear(4, 4), nn.Parameter(torch.zeros(()))

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x) + self.gate * x.mean(0, keepdim=True)

    assert Case(Gated(), normal(6, 4)).entry(CHECK).status == "failed"


def test_tables_of_similarities_compare_samples() -> None:
    class Pairs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(4, 8)

        def forward(self, x: Tensor) -> Tensor:
            h = F.normalize(self.inner(x), dim=-1)
            return h @ h.t()

    assert "compares the samples" in Case(Pairs(), normal(6, 4)).entry(CHECK).reason


def test_random_samples_are_no_leak() -> None:
    assert SOUND["vae"]().entry(CHECK).status == "passed"


def test_a_single_sample() -> None:
    assert "at least two" in Case(nn.Linear(4, 2), normal(1, 4)).entry(CHECK).reason
