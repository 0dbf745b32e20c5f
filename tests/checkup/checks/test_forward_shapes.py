from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.checkup.case import Case, labels, normal
from tests.checkup.gpt import GPT, tokens
from tests.checkup.sound import SOUND

CHECK = "forward-shapes"


def test_batch_norm_with_a_single_sample_is_no_fault() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    assert Case(model, normal(6, 4)).entry(CHECK).status == "passed"


def test_flattened_outputs_are_fine() -> None:
    class Flat(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(9, 9)

        def forward(self, x: Tensor) -> Tensor:
            return self.embed(x).flatten(0, 1)

    case = Case(Flat(), (labels(24, 9).view(4, 6), labels(24, 9)), nn.CrossEntropyLoss())
    assert case.entry(CHECK).status == "passed"


def test_all_positions_of_the_table_are_tried() -> None:
    class Model(nn.Module):
        def __init__(self, rows: int) -> None:
            super().__init__()
            self.token, self.position = nn.Embedding(31, 8), nn.Embedding(40, 8)
            self.head, self.rows = nn.Linear(8, 31), rows

        def forward(self, x: Tensor) -> Tensor:
            assert x.shape[1] <= self.rows
            return self.head(self.token(x) + self.position(torch.arange(x.shape[1])))

    good = Case(Model(40), tokens(), nn.CrossEntropyLoss()).entry(CHECK)
    assert good.measured["shapes"]["length 40"] == [1, 40, 31]
    bad = Case(Model(30), tokens(), nn.CrossEntropyLoss()).entry(CHECK)
    assert "With length 40 the model raises AssertionError" in bad.reason


def test_a_fixed_length_is_told_where_it_may_be_meant() -> None:
    model = nn.Sequential(nn.Embedding(9, 4), nn.Flatten(), nn.Linear(24, 3))
    case = Case(model, (labels(30, 9).view(5, 6), labels(5, 3)), nn.CrossEntropyLoss())
    entry = case.entry(CHECK)
    assert entry.status == "passed"
    assert "length 3 is not taken, which may be meant" in entry.reason


def test_outputs_without_samples() -> None:
    class Mean(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.mean(0)

    assert "no axis of samples" in Case(Mean(), normal(7, 4)).entry(CHECK).reason


def test_a_gpt_takes_single_tokens() -> None:
    entry = Case(GPT(), tokens()).entry(CHECK)
    assert entry.measured["shapes"]["length 1"] == [6, 1, 31]


def test_samples_along_the_second_axis() -> None:
    shapes = SOUND["lstm-with-time-first"]().entry(CHECK).measured["shapes"]
    assert shapes["1 sample"] == [1, 3]
