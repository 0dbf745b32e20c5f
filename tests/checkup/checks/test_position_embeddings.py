from __future__ import annotations

import pytest

from tests.checkup.broken import BROKEN
from tests.checkup.case import Case, normal
from tests.checkup.gpt import GPT, tokens
from tests.checkup.sound import SOUND, SetModel

CHECK = "position-embeddings"


@pytest.mark.parametrize(
    "name",
    [
        "gpt-with-tied-weights",
        "gpt-with-rotary-positions",
        "gpt-with-positions-that-begin-at-zero",
        "vit-with-a-head-that-begins-at-zero",
    ],
)
def test_learned_rotary_and_zero_positions_count(name: str) -> None:
    assert SOUND[name]().entry(CHECK).status == "passed"


def test_a_causal_mask_alone_is_not_enough_however_deep() -> None:
    for layers in (1, 2, 4):
        entry = Case(GPT(layers, fault="no positions"), tokens()).entry(CHECK)
        assert entry.status == "failed", layers


def test_sets_are_judged_only_on_demand() -> None:
    case = Case(SetModel(), normal(6, 7, 3))
    assert case.entry(CHECK).status == "skipped"
    assert case.entry(CHECK, ordered=True).status == "failed"
    assert "caller says" in case.entry(CHECK, ordered=False).reason


def test_order_can_be_of_no_matter_for_tokens_too() -> None:
    case = BROKEN["encoder-without-positions"].build()
    assert case.entry(CHECK, ordered=False).status == "skipped"


def test_short_sequences_cannot_be_reordered() -> None:
    case = Case(SetModel(), normal(6, 3, 3))
    assert "too short to reorder" in case.entry(CHECK).reason


def test_models_without_attention_are_not_asked() -> None:
    assert SOUND["embedding-bag"]().entry(CHECK).status == "skipped"
    assert SOUND["lstm-language-model"]().entry(CHECK).status == "skipped"
