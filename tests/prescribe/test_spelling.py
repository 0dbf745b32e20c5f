from __future__ import annotations

from typing import Any

import pytest

from paramedic.prescribe.spelling import (
    can_be_pasted,
    lines,
    optimizer_line,
    path,
    rate_line,
    renamed,
)
from paramedic.types import Layer
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import ADAM, SGD


@pytest.mark.parametrize(
    ("name", "kind", "written"),
    [
        ("fc", "Linear", "model.fc"),
        ("blocks.0.attn.out", "Linear", "model.blocks[0].attn.out"),
        ("0", "Linear", "model[0]"),
        ("Linear", "Linear", "model"),
        ("lstm.l1", "LSTM", "model.lstm"),
        ("experts.a-b.fc", "Linear", "model.get_submodule('experts.a-b.fc')"),
    ],
)
def test_paths_as_they_are_written(name: str, kind: str, written: str) -> None:
    assert path(Layer(name, kind)) == written


def test_the_settings_of_the_user_stay() -> None:
    seen = window(chart=chart_of(1, optimizers=({**ADAM, "betas": [0.9, 0.95]},)))
    assert optimizer_line(seen, lr=1e-4) == (
        "optimizer = torch.optim.Adam(model.parameters(), lr=0.0001, betas=(0.9, 0.95))"
    )


def test_several_groups_are_changed_in_place() -> None:
    seen = window(chart=chart_of(1, optimizers=({**SGD, "groups": 3},)))
    assert optimizer_line(seen, weight_decay=0.1, momentum=0.9) == (
        'for group in optimizer.param_groups: group["weight_decay"] = 0.1; group["momentum"] = 0.9'
    )


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (SGD, "optimizer = torch.optim.SGD(model.parameters(), lr=0.01)  # lr was 0.1"),
        ({**SGD, "groups": 2}, 'for group in optimizer.param_groups: group["lr"] *= 0.1'),
        ({"name": "by hand", "lr": 0.1}, "lr = 0.01  # in your own update of the weights; was 0.1"),
        (
            {"name": "SGD", "lr": 0.1, "framework": "keras"},
            "model.optimizer.learning_rate = 0.01  # was 0.1",
        ),
    ],
)
def test_the_rate_is_set_where_it_is(settings: dict[str, Any], line: str) -> None:
    seen = window(chart=chart_of(1, optimizers=(settings,)))
    assert rate_line(seen, 0.1, 0.1) == line
    assert can_be_pasted(line, seen)
    assert "*= 0.1" in rate_line(seen, None, 0.1)


def test_lines_of_torch_are_of_no_use_in_keras() -> None:
    seen = window(chart=chart_of(1, optimizers=({"name": "Adam", "framework": "keras"},)))
    for code in (
        "optimizer.zero_grad()",
        "torch.nn.utils.clip_grad_norm_(model.parameters(), 1)",
        'for group in optimizer.param_groups: group["lr"] *= 0.1',
        "# in forward: nn.LayerNorm on the output of model.dense",
    ):
        assert not can_be_pasted(code, seen)
        assert can_be_pasted(code, window())
    assert can_be_pasted("inputs = (inputs - mean) / std", seen)


def test_many_lines() -> None:
    assert lines(["a", "b"]) == "a\nb"
    assert lines(str(place) for place in range(20)).endswith("11\n# and 8 more alike")


def test_the_names_of_the_program() -> None:
    code = "model = nn.Sequential(model, nn.ReLU())\nmodel.fc.model_dim; model[0]  # the model"
    assert renamed(code, {"model": "self.net", "optimizer": ""}) == (
        "self.net = nn.Sequential(self.net, nn.ReLU())\nself.net.fc.model_dim; self.net[0]"
        "  # the self.net"
    )
