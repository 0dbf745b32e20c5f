from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paramedic.run.fix.patchers.losses import fix_shape, other_loss, robust
from tests.run.fix.jobs import job


@pytest.mark.parametrize(
    ("output", "target", "wanted"),
    [
        ((8, 1), (8,), "loss = mse(model(x).squeeze(-1), y)  # loss"),
        ((8,), (8, 1), "loss = mse(model(x), y.squeeze(-1))  # loss"),
        ((8, 2, 2), (8, 4), "loss = mse(model(x), y.view_as(model(x)))  # loss"),
    ],
)
def test_shapes(output: Any, target: Any, wanted: str, tmp_path: Path) -> None:
    chart = {"output_shape": output, "target_shape": target}
    (patch,) = fix_shape(job(tmp_path, "loss = mse(model(x), y)  # loss", chart=chart))
    assert patch.after == wanted


def test_a_module(tmp_path: Path) -> None:
    text = "criterion = nn.MSELoss()\nloss = criterion(out, y)  # loss"
    (patch,) = robust(job(tmp_path, text, chart={"loss": "mse"}, delta=2.0))
    assert "criterion = nn.HuberLoss(delta=2)" in patch.after
    name = "binary-cross-entropy-with-logits"
    (patch,) = other_loss(job(tmp_path, text, chart={"loss": "mse"}, loss=name))
    assert "criterion = nn.BCEWithLogitsLoss()" in patch.after


def test_a_function(tmp_path: Path) -> None:
    text = "loss = F.mse_loss(out, y)  # loss"
    (patch,) = robust(job(tmp_path, text, chart={"loss": "mse"}, delta=2.0))
    assert patch.after.replace(" ", "") == "loss=F.huber_loss(out,y,delta=2)#loss"


def test_other_outputs_are_more_than_a_line(tmp_path: Path) -> None:
    text = "loss = F.mse_loss(out, y)  # loss"
    found = job(tmp_path, text, chart={"loss": "mse"}, loss="cross-entropy", classes=3)
    assert list(other_loss(found)) == []
