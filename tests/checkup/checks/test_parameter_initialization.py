from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from tests.checkup.case import Case, labels, normal
from tests.checkup.sound import mlp

CHECK = "parameter-initialization"


def case(model: nn.Module) -> Case:
    return Case(model, (normal(8, 6), labels(8, 3)), nn.CrossEntropyLoss())


@pytest.mark.parametrize(
    "draw",
    [
        nn.init.kaiming_normal_,
        nn.init.xavier_uniform_,
        nn.init.orthogonal_,
        lambda weight: nn.init.normal_(weight, std=0.02),
        lambda weight: nn.init.trunc_normal_(weight, std=0.02),
    ],
)
def test_usual_ways_to_draw(draw: object) -> None:
    model = mlp(6, 3)
    for layer in (model[0], model[2], model[4]):
        draw(layer.weight)  # type: ignore[operator]
    assert case(model).entry(CHECK).status == "passed"


def test_scales_are_told() -> None:
    scales = case(mlp(6, 3)).entry(CHECK).measured["scales"]
    assert scales.keys() == {"0.weight", "2.weight", "4.weight"}
    assert all(0.4 < scale < 0.8 for scale in scales.values())


def test_a_last_layer_of_zeros_is_no_fault() -> None:
    model = mlp(6, 3)
    nn.init.zeros_(model[4].weight)
    assert case(model).entry(CHECK).status == "passed"


def test_two_layers_of_zeros_are() -> None:
    model = mlp(6, 3)
    nn.init.zeros_(model[2].weight)
    nn.init.zeros_(model[2].bias)
    nn.init.zeros_(model[4].weight)
    entry = case(model).entry(CHECK)
    assert "still equal" in entry.reason
    assert set(entry.findings[0].where) == {"2.weight", "4.weight"}


def test_frozen_weights_may_be_anything() -> None:
    model = mlp(6, 3)
    nn.init.constant_(model[0].weight, 0.5).requires_grad_(False)
    assert case(model).entry(CHECK).status == "passed"


def test_a_box_filter_for_each_channel_is_no_constant_layer() -> None:
    model = nn.Sequential(nn.Conv2d(4, 4, 3, groups=4), nn.Flatten(), nn.Linear(4 * 16, 3))
    nn.init.constant_(model[0].weight, 1 / 9)
    images = Case(model, (normal(8, 4, 6, 6), labels(8, 3)), nn.CrossEntropyLoss())
    assert images.entry(CHECK).status == "passed"


def test_bare_parameters_are_judged_where_they_are_multiplied() -> None:
    class Bare(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(normal(400, 3))
            self.shift = nn.Parameter(normal(400))  # added, not multiplied: any scale will do

        def forward(self, x: Tensor) -> Tensor:
            return (x.repeat(1, 100)[:, :400] + 100 * self.shift) @ self.weight

    entry = case(Bare()).entry(CHECK)
    assert entry.findings[0].where == ("weight",)
    assert entry.findings[0].evidence["scale"] == pytest.approx(20, rel=0.1)


def test_recurrent_weights_are_judged() -> None:
    model = nn.GRU(6, 8, batch_first=True)
    with torch.no_grad():
        model.weight_hh_l0.mul_(100)
    entry = Case(model, normal(4, 5, 6)).entry(CHECK)
    assert entry.findings[0].where == ("weight_hh_l0",)


def test_a_model_that_cannot_be_called_is_looked_at_all_the_same() -> None:
    model = nn.Linear(9, 3)
    with torch.no_grad():
        model.bias[1] = torch.inf
    assert "Not all values of `bias` are finite" in case(model).entry(CHECK).reason


def test_no_parameters() -> None:
    assert case(nn.Flatten()).entry(CHECK).status == "skipped"
