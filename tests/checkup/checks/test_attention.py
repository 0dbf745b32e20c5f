from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.checkup.case import Case, labels, normal
from tests.checkup.gpt import GPT, tokens
from tests.checkup.sound import SOUND

CHECK = "attention"


class Mixer(nn.Module):
    """Attention over real numbers, with any weights."""

    def __init__(self, weights: object) -> None:
        super().__init__()
        self.qkv, self.weights = nn.Linear(8, 24), weights

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        return x + self.weights(q @ k.transpose(1, 2)) @ v  # type: ignore[operator]


def test_other_weights_than_a_softmax_may_be_meant() -> None:
    for function in (torch.sigmoid, F.relu):
        assert Case(Mixer(function), normal(4, 6, 8)).entry(CHECK).status == "passed"


def test_no_weights_at_all_are_not() -> None:
    entry = Case(Mixer(lambda scores: scores / 8), normal(4, 6, 8)).entry(CHECK)
    assert "there is no softmax" in entry.reason
    assert entry.findings[0].where == ("Mixer",)


def test_rows_that_are_masked_altogether_do_not_count() -> None:
    def weights(scores: Tensor) -> Tensor:
        gone = torch.zeros_like(scores, dtype=torch.bool)
        gone[:, 2] = True
        return scores.softmax(-1).masked_fill(gone, 0.0)

    assert Case(Mixer(weights), normal(4, 6, 8)).entry(CHECK).status == "passed"


def test_causality_is_demanded_only_where_it_is_due() -> None:
    case = SOUND["masked-language-model-with-a-dict"]()
    assert case.entry(CHECK).status == "passed"
    assert "sees the future" in case.entry(CHECK, causal=True).reason


def test_causality_can_be_switched_off() -> None:
    case = Case(GPT(fault="no mask"), tokens())
    assert "sees the future" in case.entry(CHECK).reason
    assert case.entry(CHECK, causal=False).status == "passed"


def test_causality_of_real_numbers() -> None:
    seen = Mixer(lambda scores: scores.softmax(-1))
    blind = Mixer(
        lambda scores: scores.masked_fill(
            torch.ones_like(scores).triu(1).bool(), -torch.inf
        ).softmax(-1)
    )
    assert Case(blind, normal(4, 6, 8)).entry(CHECK, causal=True).status == "passed"
    assert Case(seen, normal(4, 6, 8)).entry(CHECK, causal=True).status == "failed"


def test_which_positions_see_too_much_is_told() -> None:
    (finding,) = Case(GPT(layers=1, fault="off-by-one mask"), tokens()).entry(CHECK).findings
    assert "off by one" in finding.message
    assert finding.evidence["positions_changed"] == [7]


@pytest.mark.parametrize("name", ["gpt-with-tied-weights", "transformer-encoder-with-padding"])
def test_weights_that_autocast_copies_are_still_weights(name: str) -> None:
    case = SOUND[name]()

    def forward(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return model(*batch) if case.loss_fn is None else model(batch[0])

    entry = case.entry(CHECK, forward=forward)
    assert entry.status == "passed", entry.reason
    assert entry.measured["attentions"] == 2


def test_short_numbers_sum_to_about_one() -> None:
    model = GPT().bfloat16()
    assert Case(model, tokens()).entry(CHECK).status == "passed"


def test_nothing_to_check() -> None:
    assert Case(nn.Linear(3, 2), (normal(4, 3), labels(4, 2))).entry(CHECK).status == "skipped"
