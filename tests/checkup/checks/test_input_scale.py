from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from tests.checkup.case import Case, labels, normal
from tests.checkup.sound import SOUND

CHECK = "input-scale"


@pytest.mark.parametrize(("scale", "status"), [(1, "passed"), (16, "passed"), (100, "failed")])
def test_the_size_counts(scale: float, status: str) -> None:
    assert Case(nn.Linear(5, 3), scale * normal(32, 5)).entry(CHECK).status == status


def test_one_column_is_enough() -> None:
    x = normal(32, 200)
    x[:, 3] += 100
    entry = Case(nn.Linear(200, 3), x).entry(CHECK)
    assert entry.status == "failed"
    assert entry.findings[0].evidence["size"] == pytest.approx(100, rel=0.02)


def test_tiny_inputs() -> None:
    assert "is tiny" in Case(nn.Linear(5, 3), 1e-5 * normal(32, 5)).entry(CHECK).reason


def test_a_model_may_scale_its_input_itself() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Conv2d(1, 4, 3)

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x.float() / 127.5 - 1)

    pixels = labels(8 * 100, 256).view(8, 1, 10, 10)
    for images in (pixels.float(), pixels.to(torch.uint8)):
        assert Case(Scaled(), images).entry(CHECK).status == "passed"
    assert SOUND["table-that-is-normalised-inside"]().entry(CHECK).status == "passed"


def test_spoiled_inputs() -> None:
    assert (
        "All input values are the same (1)"
        in Case(nn.Linear(5, 3), torch.ones(8, 5)).entry(CHECK).reason
    )
    bad = normal(8, 5)
    bad[0] = torch.inf
    assert "12.5 % of the input values" in Case(nn.Linear(5, 3), bad).entry(CHECK).reason


def test_a_mask_of_ones_beside_the_input_is_no_constant_input() -> None:
    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(5, 3)

        def forward(self, x: Tensor, mask: Tensor) -> Tensor:
            return self.inner(x) * mask

    case = Case(Masked(), (normal(8, 5), torch.ones(8, 1), labels(8, 3)), nn.CrossEntropyLoss())
    assert case.entry(CHECK).status == "passed"


def test_tokens_have_no_scale() -> None:
    assert SOUND["gru-tagger"]().entry(CHECK).status == "skipped"
