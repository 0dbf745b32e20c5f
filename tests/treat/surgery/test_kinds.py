from __future__ import annotations

import pytest
from torch import nn

from paramedic.treat.surgery import Refusal
from paramedic.treat.surgery.kinds import kind_of_call, kind_of_module, part, written


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        (nn.ReLU(), "relu"),
        (nn.LeakyReLU(0.2), "leakyrelu"),
        (nn.LogSoftmax(dim=-1), "logsoftmax"),
        (nn.Softmax2d(), "softmax"),
        (type("Mine", (nn.Tanh,), {})(), "tanh"),
        (nn.Identity(), None),
        (nn.GLU(), None),
        (nn.Linear(2, 2), None),
    ],
)
def test_a_module_has_one_name(module: nn.Module, kind: str | None) -> None:
    assert kind_of_module(module) == kind


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "kind"),
    [
        ("relu_", (0,), {}, "relu"),
        ("leaky_relu", (0, 0.1), {}, "leakyrelu"),
        ("log_softmax", (0,), {"dim": 1}, "logsoftmax"),
        ("clamp", (0,), {"min": 0}, "relu"),
        ("clamp_min", (0, 0.0), {}, "relu"),
        ("clamp", (0, 0, 1), {}, None),
        ("clamp", (0,), {"max": 1}, None),
        ("linear", (0,), {}, None),
    ],
)
def test_a_call_has_the_same_name(name: str, args: tuple, kwargs: dict, kind: str | None) -> None:
    assert kind_of_call(name, args, kwargs) == kind


@pytest.mark.parametrize("name", ["relu", "ReLU", "nn.ReLU()", "nn.ReLU"])
def test_a_part_is_found_by_any_spelling(name: str) -> None:
    assert isinstance(part(name).make(), nn.ReLU)
    assert part(name).code == "nn.ReLU()"


def test_a_part_can_be_made_by_the_user() -> None:
    made = part(lambda: nn.LeakyReLU(0.3))
    assert made.code == "nn.LeakyReLU(negative_slope=0.3)"
    assert part("swish").code == "nn.SiLU()"
    assert part("softmax").code == "nn.Softmax(dim=-1)"


def test_what_is_no_activation_is_refused() -> None:
    with pytest.raises(Refusal, match=r"no activation `rellu`; there are .*relu"):
        part("rellu")
    with pytest.raises(TypeError, match="it made int"):
        part(lambda: 3)  # type: ignore[arg-type,return-value]


def test_only_modules_of_torch_are_written_with_their_place() -> None:
    assert written(nn.ELU()) == "nn.ELU(alpha=1.0)"
    assert written(type("Mine", (nn.Tanh,), {"__module__": "mine"})()) == "Mine()"
