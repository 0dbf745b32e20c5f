from __future__ import annotations

import pytest

from paramedic.prescribe.spelling import lines, optimizer_line, path, renamed
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


def test_many_lines() -> None:
    assert lines(["a", "b"]) == "a\nb"
    assert lines(str(place) for place in range(20)).endswith("11\n# and 8 more alike")


def test_the_names_of_the_program() -> None:
    code = "model = nn.Sequential(model, nn.ReLU())\nmodel.fc.model_dim; model[0]  # the model"
    assert renamed(code, {"model": "self.net", "optimizer": ""}) == (
        "self.net = nn.Sequential(self.net, nn.ReLU())\nself.net.fc.model_dim; self.net[0]"
        "  # the self.net"
    )
