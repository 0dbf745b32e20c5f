from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.checkup.case import Case, labels, normal
from tests.checkup.sound import SOUND

CHECK = "numerical-stability"


class Function(nn.Module):
    """A layer, then any function of its output."""

    def __init__(self, function: object) -> None:
        super().__init__()
        self.inner, self.function = nn.Linear(4, 2, bias=False), function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(self.inner(x))  # type: ignore[operator]


def entry(function: object) -> object:
    return Case(Function(function), (normal(6, 4), labels(6, 2)), nn.CrossEntropyLoss()).entry(
        CHECK
    )


def test_zeros() -> None:
    assert "On zeros the output is not finite" in entry(lambda h: h / h.norm(dim=1)[:, None]).reason  # type: ignore[attr-defined]


def test_gradients_at_zero() -> None:
    found = entry(lambda h: h + (h**2).sum(1, keepdim=True).sqrt())
    assert "On zeros the gradient of `inner.weight` is not finite" in found.reason  # type: ignore[attr-defined]


def test_large_values() -> None:
    found = entry(lambda h: (30 * h).exp().log())
    assert "On values 10 times as large" in found.reason  # type: ignore[attr-defined]


def test_the_batch_itself() -> None:
    found = entry(lambda h: (h - h).log() * 0)
    assert found.reason == "On the batch itself the output is not finite."  # type: ignore[attr-defined]


def test_padding_alone_is_not_tried() -> None:
    assert SOUND["transformer-encoder-with-padding"]().entry(CHECK).status == "passed"


def test_the_last_token() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(9, 2)
            with torch.no_grad():
                self.embed.weight[8] = torch.inf

        def forward(self, x: Tensor) -> Tensor:
            h = self.embed(x).mean(1)
            return h - h.detach()

    batch = (labels(24, 8).view(6, 4), labels(6, 2))
    found = Case(Model(), batch, nn.CrossEntropyLoss()).entry(CHECK)
    assert "On texts of its last token" in found.reason


def test_a_model_may_refuse() -> None:
    class Strict(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(4, 2)

        def forward(self, x: Tensor) -> Tensor:
            assert x.abs().max() < 5
            return self.inner(x)

    case = Case(Strict(), (normal(6, 4).clamp(-2, 2), labels(6, 2)), nn.CrossEntropyLoss())
    assert case.entry(CHECK).status == "passed"
