"""What layers put out: level, spread, dead units and saturation, both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.probe.activations import activation_columns
from paramedic.probe.forward import ForwardTap
from paramedic.vocabulary import ACTIVATIONS

pytestmark = pytest.mark.usefixtures("way")

NAN, INF = float("nan"), float("inf")


Column = dict[str, dict[str, float]]


def _see(model: nn.Module, *inputs: Tensor, backward: bool = False) -> Column:
    """Run the model and return {statistic: {module: value}}."""
    names = {id(module): name or "(root)" for name, module in model.named_modules()}
    index = {key: place for place, key in enumerate(names)}
    tap = ForwardTap(names)
    tap.open()
    try:
        output = model(*inputs)
        if backward:
            output.sum().backward()
        columns = activation_columns(tap.take(), index, len(index))
    finally:
        tap.close()
    assert list(columns) == list(ACTIVATIONS)
    assert {column.dtype for column in columns.values()} == {np.dtype(np.float32)}
    return {
        name: dict(zip(names.values(), column.tolist(), strict=True))
        for name, column in columns.items()
    }


class Function(nn.Module):
    """A module around a function, between two layers."""

    def __init__(self, function: Callable[[Tensor], Tensor], wide: int = 4) -> None:
        super().__init__()
        self.before = nn.Linear(3, wide)
        self.after = nn.Linear(wide, 2)
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.after(self.function(self.before(x)))


def _randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _kill(linear: nn.Linear, *units: int) -> None:
    """Make some units put out a negative number whatever comes in."""
    with torch.no_grad():
        linear.weight[list(units)] = 0.0
        linear.bias[list(units)] = -1.0


def _awake(linear: nn.Linear) -> nn.Linear:
    """Make all units put out a positive number for inputs of about 1."""
    with torch.no_grad():
        linear.bias.fill_(10.0)
    return linear


# -- levels ----------------------------------------------------------------------------------


def test_mean_variance_and_largest_value() -> None:
    x = _randn(50, 3)
    model = nn.Sequential(nn.Linear(3, 7))
    seen, output = _see(model, x), model(x).detach().double().numpy()
    assert seen["act_mean"]["0"] == pytest.approx(output.mean(), rel=1e-5, abs=1e-7)
    assert seen["act_var"]["0"] == pytest.approx(output.var(), rel=1e-4)
    assert seen["act_max_abs"]["0"] == pytest.approx(np.abs(output).max(), rel=1e-6)
    assert seen["act_nonfinite"]["0"] == 0.0
    assert np.isnan(seen["act_dead"]["0"])
    assert np.isnan(seen["act_saturated"]["0"])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_levels_in_other_precisions(dtype: torch.dtype) -> None:
    x = _randn(40, 3).to(dtype)
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU()).to(dtype)
    seen = _see(model, x)
    hidden = model[0](x).detach().double().numpy()
    assert seen["act_mean"]["0"] == pytest.approx(hidden.mean(), rel=1e-3, abs=1e-4)
    assert seen["act_var"]["0"] == pytest.approx(hidden.var(), rel=1e-3)
    assert seen["act_max_abs"]["0"] == pytest.approx(np.abs(hidden).max(), rel=1e-6)
    dead = (hidden.max(axis=0) <= 0).mean()
    assert seen["act_dead"]["1"] == pytest.approx(dead)


def test_the_variance_of_a_large_level_does_not_drown() -> None:
    x = (1000 + torch.linspace(-1e-2, 1e-2, 100)).requires_grad_()
    true = x.detach().double().numpy().var()
    assert _see(nn.LeakyReLU(1.0), x)["act_var"]["(root)"] == pytest.approx(true, rel=1e-2)


def test_the_variance_of_values_around_one() -> None:
    x = 1 + 1e-3 * _randn(64, 50)
    true = x.double().numpy().var()
    assert _see(nn.LeakyReLU(1.0), x)["act_var"]["(root)"] == pytest.approx(true, rel=1e-3)


def test_large_but_finite_outputs_do_not_warn() -> None:
    seen = _see(nn.LeakyReLU(1.0), torch.tensor([[1e25], [2e25]]))
    assert seen["act_nonfinite"]["(root)"] == 0.0
    assert seen["act_max_abs"]["(root)"] == pytest.approx(2e25)
    assert seen["act_var"]["(root)"] == INF


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize("shape", [(8, 3), (300, 300)])
def test_outputs_that_are_not_finite(bad: float, shape: tuple[int, int]) -> None:
    x = _randn(*shape)
    x[2, 1] = bad
    seen = _see(nn.Sequential(nn.LeakyReLU(1.0), nn.Linear(shape[1], 2)), x)
    for name in ("0", "1"):
        assert seen["act_nonfinite"][name] == 1.0
        assert seen["act_max_abs"][name] == INF
        assert np.isnan(seen["act_mean"][name])
        assert np.isnan(seen["act_var"][name])


def test_an_extreme_in_a_large_output_is_always_found() -> None:
    """However a large output is sampled for its mean, extremes need every value."""
    for place in (1, 12_345, 199_999):
        x = torch.zeros(200_000)
        x[place] = -77.0
        assert _see(nn.LeakyReLU(1.0), x)["act_max_abs"]["(root)"] == 77.0


def test_a_large_output_is_sampled_over_all_of_its_columns() -> None:
    x = torch.arange(64.0).repeat(2000, 1)
    seen = _see(nn.LeakyReLU(1.0), x)
    assert seen["act_mean"]["(root)"] == pytest.approx(31.5, rel=0.02)
    assert seen["act_var"]["(root)"] == pytest.approx(np.arange(64).var(), rel=0.03)


def test_integer_and_empty_outputs_are_not_read() -> None:
    class Counts(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.long()

    assert np.isnan(_see(Counts(), torch.ones(2, 3))["act_mean"]["(root)"])
    assert np.isnan(_see(nn.ReLU(), torch.empty(0, 3))["act_mean"]["(root)"])


def test_the_mode_is_told_for_each_module() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    model[1].eval()
    seen = _see(model, _randn(4, 3))
    assert (seen["act_training"]["0"], seen["act_training"]["1"]) == (1.0, 0.0)


# -- which calls count -----------------------------------------------------------------------


def test_layers_that_were_not_called_are_not_measured() -> None:
    class Half(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = nn.Linear(3, 2), nn.Linear(3, 2)

        def forward(self, x: Tensor) -> Tensor:
            return self.used(x)

    seen = _see(Half(), _randn(4, 3))
    for name in ACTIVATIONS:
        assert np.isnan(seen[name]["unused"]), name
    assert np.isfinite(seen["act_mean"]["used"])


def test_a_layer_called_twice_shows_its_last_call() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.LeakyReLU(1.0)

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(self.inner(x) + 5)

    seen = _see(Twice(), torch.ones(3, 3))
    assert seen["act_mean"]["inner"] == pytest.approx(6.0)


def test_outputs_in_tuples_and_mappings() -> None:
    class Several(nn.Module):
        def __init__(self, kind: str) -> None:
            super().__init__()
            self.kind = kind

        def forward(self, x: Tensor) -> Any:
            index = x.argmax(dim=1)
            return (index, x * 2) if self.kind == "tuple" else {"index": index, "value": [x * 2]}

    for kind in ("tuple", "mapping"):
        seen = _see(Several(kind), torch.ones(3, 4))
        assert seen["act_mean"]["(root)"] == 2.0


def test_statistics_after_the_backward_pass_are_the_same() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4), nn.Sigmoid())
    x = _randn(16, 3)
    assert str(_see(model, x, backward=True)) == str(_see(model, x))


# -- overwritten in place --------------------------------------------------------------------


def test_an_overwritten_output_is_not_reported_for_the_layer_that_made_it() -> None:
    x = _randn(20, 3)
    model = nn.Sequential(_awake(nn.Linear(3, 4)), nn.ReLU(inplace=True), nn.Linear(4, 2))
    _kill(model[0], 1)
    seen = _see(model, x)
    for name in ("act_mean", "act_var", "act_max_abs", "act_nonfinite"):
        assert np.isnan(seen[name]["0"]), name
    assert seen["act_training"]["0"] == 1.0
    assert seen["act_dead"]["1"] == 0.25
    assert seen["act_mean"]["1"] == pytest.approx(model[:2](x).mean().item(), rel=1e-5)
    assert np.isfinite(seen["act_mean"]["2"])


def test_an_output_overwritten_through_a_view() -> None:
    class Overwrites(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.other = nn.Linear(3, 4), nn.Linear(3, 4)

        def forward(self, x: Tensor) -> Tensor:
            hidden = self.inner(x)
            hidden[0].add_(1.0)
            return hidden + self.other(x)

    seen = _see(Overwrites(), _randn(5, 3))
    assert np.isnan(seen["act_mean"]["inner"])
    assert np.isfinite(seen["act_mean"]["other"])


# -- dead units ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [nn.ReLU, nn.ReLU6, lambda: nn.Threshold(0.0, 0.0)])
def test_dead_units_of_a_module(kind: Callable[[], nn.Module]) -> None:
    model = nn.Sequential(_awake(nn.Linear(3, 8)), kind())
    _kill(model[0], 0, 3, 6)
    assert _see(model, torch.ones(10, 3))["act_dead"]["1"] == pytest.approx(3 / 8)


def test_a_unit_that_one_sample_wakes_is_alive() -> None:
    x = -torch.ones(64, 5)
    x[63, 2] = 1e-6
    assert _see(nn.ReLU(), x)["act_dead"]["(root)"] == pytest.approx(4 / 5)


def test_leaky_units_cannot_die() -> None:
    for kind in (nn.LeakyReLU(), nn.GELU(), nn.SiLU(), nn.ELU(), nn.PReLU()):
        assert np.isnan(_see(kind, -torch.ones(4, 5))["act_dead"]["(root)"])


@pytest.mark.parametrize("shape", [(4, 6, 3, 3), (2, 6, 2, 2, 2)])
def test_units_of_images_and_volumes_are_channels(shape: tuple[int, ...]) -> None:
    x = _randn(*shape).abs() + 0.1
    x[:, [1, 2]] = -1.0
    x[:, 3, 0] = 0.0  # dark in places is not dead
    assert _see(nn.ReLU(), x)["act_dead"]["(root)"] == pytest.approx(2 / 6)


def test_units_of_sequences_are_features() -> None:
    x = _randn(4, 7, 5).abs() + 0.1
    x[..., 2] = -1.0
    assert _see(nn.ReLU(), x)["act_dead"]["(root)"] == pytest.approx(1 / 5)


def test_units_of_one_dimensional_convolutions_are_channels() -> None:
    model = nn.Sequential(nn.Conv1d(2, 4, 3), nn.ReLU())
    with torch.no_grad():
        model[0].weight.fill_(0.1)
        model[0].bias.copy_(torch.tensor([1.0, -50.0, -50.0, 1.0]))
    assert _see(model, torch.ones(3, 2, 10))["act_dead"]["1"] == pytest.approx(0.5)


def test_dead_units_behind_a_function_are_seen_at_the_next_layer() -> None:
    model = Function(F.relu)
    _kill(_awake(model.before), 2)
    seen = _see(model, torch.ones(10, 3))
    assert seen["input_dead"]["after"] == 0.25
    assert np.isnan(seen["act_dead"]["before"])
    assert np.isnan(seen["input_dead"]["before"])


def test_a_functional_relu_in_place() -> None:
    model = Function(lambda x: F.relu(x, inplace=True))
    _kill(_awake(model.before), 2)
    seen = _see(model, torch.ones(10, 3))
    assert np.isnan(seen["act_mean"]["before"])
    # The overwritten output is the input of the next layer, and the same tensor.
    assert np.isnan(seen["act_dead"]["before"])


def test_an_activation_module_is_not_shown_a_second_time() -> None:
    model = nn.Sequential(_awake(nn.Linear(3, 4)), nn.ReLU(), nn.Linear(4, 2))
    _kill(model[0], 2)
    seen = _see(model, torch.ones(10, 3))
    assert seen["act_dead"]["1"] == 0.25
    assert np.isnan(seen["input_dead"]["2"])


def test_what_may_stand_between_a_function_and_the_next_layer() -> None:
    class Pooled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Conv2d(1, 4, 3), nn.Conv2d(4, 2, 2)

        def forward(self, x: Tensor) -> Tensor:
            return self.last(F.max_pool2d(F.relu(self.first(x)), 2))

    model = Pooled()
    with torch.no_grad():
        model.first.weight.fill_(0.1)
        model.first.bias.copy_(torch.tensor([1.0, -50.0, 1.0, 1.0]))
    assert _see(model, torch.ones(2, 1, 8, 8))["input_dead"]["last"] == 0.25


def test_half_precision_units() -> None:
    x = _randn(10, 8).half()
    x[:, :3] = -1.0
    x[:, 3:] = 1.0
    assert _see(nn.ReLU(), x)["act_dead"]["(root)"] == pytest.approx(3 / 8)


# -- saturation ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "module", "low", "high"),
    [
        (torch.sigmoid, nn.Sigmoid(), 0.01, 0.99),
        (torch.tanh, nn.Tanh(), -0.98, 0.98),
        (F.hardtanh, nn.Hardtanh(), -0.98, 0.98),
        (F.hardsigmoid, nn.Hardsigmoid(), 0.01, 0.99),
    ],
)
def test_saturation(
    function: Callable[[Tensor], Tensor], module: nn.Module, low: float, high: float
) -> None:
    x = torch.linspace(-8, 8, 200).reshape(50, 4).requires_grad_()
    y = function(x).detach()
    true = float(((y < low) | (y > high)).double().mean())
    assert 0.3 < true < 0.95
    assert _see(module, x)["act_saturated"]["(root)"] == pytest.approx(true, abs=0.011)

    model = Function(function)
    model.before = nn.Identity()
    model.after = nn.Linear(4, 2)
    assert _see(model, x)["input_saturated"]["after"] == pytest.approx(true, abs=0.011)


def test_softsign_as_a_module() -> None:
    x = torch.tensor([[-1000.0, 0.0, 1.0, 1000.0]])
    assert _see(nn.Softsign(), x)["act_saturated"]["(root)"] == 0.5


def test_no_saturation_where_there_is_no_bound() -> None:
    for kind in (nn.ReLU(), nn.Softplus(), nn.Linear(3, 3), nn.Softmax(dim=1)):
        assert np.isnan(_see(kind, _randn(4, 3) * 100)["act_saturated"]["(root)"])


def test_hardtanh_with_other_bounds() -> None:
    x = torch.linspace(-1.5, 1.5, 60).reshape(20, 3)
    assert _see(nn.Hardtanh(-2.0, 2.0), x)["act_saturated"]["(root)"] == 0.0


def test_functional_relu6_is_a_rectifier() -> None:
    model = Function(F.relu6)
    _kill(_awake(model.before), 2)
    with torch.no_grad():
        model.before.bias[[0, 1, 3]] = 3.0
        model.before.weight.fill_(0.0)
    seen = _see(model, torch.ones(10, 3))
    assert seen["input_dead"]["after"] == 0.25
    assert not seen["input_saturated"]["after"] > 0


# -- recurrent -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_recurrent_layers_saturate(kind: Any) -> None:
    torch.manual_seed(0)
    layer = kind(3, 6, batch_first=True)
    x = _randn(4, 5, 3) * 50
    output = layer(x)[0].detach()
    true = float((output.abs() > 0.98).double().mean())
    assert _see(layer, x)["act_saturated"]["(root)"] == pytest.approx(true, abs=1e-6)
    assert kind is not nn.RNN or true > 0.3


def test_a_recurrent_layer_of_rectifiers_can_die() -> None:
    layer = nn.RNN(3, 4, nonlinearity="relu", batch_first=True)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.fill_(0.1)
        layer.bias_ih_l0[1] = -100.0
    seen = _see(layer, torch.ones(4, 5, 3))
    assert seen["act_dead"]["(root)"] == 0.25
    assert np.isnan(seen["act_saturated"]["(root)"])


def test_nothing_was_called() -> None:
    columns = activation_columns([], {}, 3)
    assert all(np.isnan(column).all() and len(column) == 3 for column in columns.values())


def test_channels_that_were_moved_to_the_end_are_units() -> None:
    """As in Keras: of two channels one is dead, in pictures that are four pixels high."""

    class Last(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.kernel = nn.Parameter(torch.stack([torch.ones(1, 1, 1), -torch.ones(1, 1, 1)]))

        def forward(self, x: Tensor) -> Tensor:
            return torch.relu(F.conv2d(x, self.kernel).permute(0, 2, 3, 1))

    found = _see(nn.Sequential(Last()), torch.ones(3, 1, 4, 5))
    assert found["act_dead"]["0"] == 0.5
