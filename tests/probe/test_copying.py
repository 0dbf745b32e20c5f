from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from paramedic import watch
from paramedic.probe.copying import copied

TOKENS = torch.randint(50, (8, 32), generator=torch.Generator().manual_seed(0))
NEXT = torch.cat([TOKENS[:, 1:], torch.full((8, 1), -100)], dim=1)


def _by_hand(tokens: Tensor, target: Tensor) -> float:
    """Position by position."""
    equal = [
        int(row[place] == asked[place])
        for row, asked in zip(tokens.tolist(), target.tolist(), strict=True)
        for place in range(len(row) - 1)
        if row[place] != row[place + 1] and asked[place] >= 0
    ]
    return sum(equal) / len(equal)


@pytest.mark.parametrize("shape", [(8, 32), (-1,)])
def test_the_tokens_themselves_and_the_next_ones(shape: tuple[int, ...]) -> None:
    assert copied(TOKENS, TOKENS.reshape(shape)) == {"target_copied": 1.0}
    assert copied(TOKENS, NEXT.reshape(shape)) == {"target_copied": 0.0}


def test_a_target_less_in_each_row() -> None:
    assert copied(TOKENS, TOKENS[:, 1:]) == {"target_copied": 0.0}
    assert copied(TOKENS, TOKENS[:, :-1].flatten()) == {"target_copied": 1.0}


def test_a_share() -> None:
    target = torch.where(torch.arange(32) % 2 == 0, TOKENS, NEXT)
    assert copied(TOKENS, target)["target_copied"] == pytest.approx(_by_hand(TOKENS, target))


def test_padding_is_not_copied() -> None:
    tokens = TOKENS.clone()
    tokens[:, 10:] = 0
    following = torch.cat([tokens[:, 1:], torch.zeros(8, 1, dtype=torch.int64)], dim=1)
    assert copied(tokens, following) == {"target_copied": 0.0}


@pytest.mark.parametrize(
    ("tokens", "target"),
    [
        (TOKENS.float(), TOKENS),
        (TOKENS, TOKENS.float()),
        (TOKENS[0], TOKENS[0]),
        (TOKENS, TOKENS[:, :5]),
        (TOKENS, torch.full_like(TOKENS, -100)),
        (torch.zeros_like(TOKENS), torch.zeros_like(TOKENS)),
        (TOKENS[:, :1], TOKENS[:, :1]),
        (TOKENS.to_sparse(), TOKENS.to_sparse()),
        (torch.empty(0, 4, dtype=torch.int64), torch.empty(0, dtype=torch.int64)),
    ],
)
def test_what_cannot_be_compared(tokens: Tensor, target: Tensor) -> None:
    assert copied(tokens, target) == {}


def test_it_is_measured() -> None:
    model = nn.Sequential(nn.Embedding(50, 8), nn.Linear(8, 50))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    with watch(model, optimizer, overhead=None, strict=True) as monitor:
        for _ in range(3):
            criterion(model(TOKENS).flatten(0, 1), TOKENS.flatten()).backward()
            optimizer.step()
            optimizer.zero_grad()
        assert monitor.window().scalar("target_copied").tolist() == [1.0] * 3
