from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.treat.surgery import Refusal
from paramedic.treat.surgery.verification import shapes, verified


def test_another_shape_is_refused() -> None:
    with pytest.raises(Refusal, match=r"\(4, 3\) instead of \(4, 2\)"):
        verified(nn.Linear(5, 2), nn.Linear(5, 3), torch.ones(4, 5), what="widening")


def test_a_model_that_fails_only_in_training_is_refused() -> None:
    after = nn.Sequential(nn.Linear(5, 2), nn.BatchNorm1d(2))
    with pytest.raises(Refusal, match="fails in training mode"):
        verified(nn.Linear(5, 2), after, torch.ones(1, 5), what="normalising")


def test_what_did_not_run_in_training_before_need_not_now() -> None:
    model = nn.BatchNorm1d(5)
    assert verified(model, model, torch.ones(1, 5), what="nothing") is model


def test_shapes_keep_the_nest() -> None:
    assert shapes({"a": torch.ones(1, 2), "b": [torch.ones(3), None]}) == {
        "a": (1, 2),
        "b": [(3,), None],
    }
