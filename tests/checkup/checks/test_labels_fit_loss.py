from __future__ import annotations

import torch
from torch import nn

from tests.checkup.case import Case, labels, normal
from tests.checkup.gpt import GPT, tokens

CHECK = "labels-fit-loss"
X, Y = normal(20, 5), labels(20, 3)


def test_labels_of_the_whole_batch_are_looked_at() -> None:
    last = Y.clone()
    last[-1] = 3
    entry = Case(nn.Linear(5, 3), (X, last), nn.CrossEntropyLoss()).entry(CHECK)
    assert "from 0 to 3" in entry.reason


def test_any_error_of_the_loss_is_told() -> None:
    entry = Case(nn.Linear(5, 3), (X, Y[:, None]), nn.CrossEntropyLoss()).entry(CHECK)
    assert entry.status == "failed"
    assert "target of shape [8, 1] (torch.int64)" in entry.reason


def test_models_that_compute_their_own_loss() -> None:
    assert Case(GPT(), tokens()).entry(CHECK).status == "passed"


def test_no_loss() -> None:
    entry = Case(nn.Linear(5, 3), (X, Y)).entry(CHECK)
    assert "no `loss_fn` was given" in entry.reason.lower()


def test_unknown_losses() -> None:
    entry = Case(nn.Linear(5, 3), (X, Y), lambda o, t: o.square().mean()).entry(CHECK)
    assert entry.status == "skipped"


def test_targets_that_are_not_finite() -> None:
    target = normal(20, 3)
    target[15] = torch.inf
    assert Case(nn.Linear(5, 3), (X, target), nn.MSELoss()).entry(CHECK).status == "failed"
