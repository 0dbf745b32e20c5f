"""Which layers there are, in which order, and what happens when they change."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from paramedic.probe.layers import Layers, qualified
from paramedic.types import Layer


def _layers(model: nn.Module, optimizer: torch.optim.Optimizer | None = None) -> Layers:
    optimizer = optimizer or torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    return Layers({"": model}, [optimizer])


def _names(layers: Layers) -> list[str]:
    return [row.name for row in layers.rows]


def _described(layers: Layers) -> dict[str, Layer]:
    return {layer.name: layer for layer in layers.describe()}


def _run(layers: Layers, model: nn.Module, *inputs: Tensor) -> None:
    """Run the model once and tell the layers what finished in which order."""
    finished: list[nn.Module] = []
    hooks = [
        module.register_forward_hook(lambda module, _, __: finished.append(module))
        for module in model.modules()
    ]
    model(*inputs)
    for hook in hooks:
        hook.remove()
    layers.executed([id(one) for one in finished])


class Backwards(nn.Module):
    """Runs its layers against the order in which they were registered."""

    def __init__(self) -> None:
        super().__init__()
        self.last, self.middle, self.first = (nn.Linear(3, 3) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.middle(self.first(x)))


# -- which rows there are --------------------------------------------------------------------


def test_one_row_per_module_that_owns_parameters_or_shapes_activations() -> None:
    model = nn.Sequential(
        nn.Linear(3, 4), nn.ReLU(), nn.Flatten(), nn.Dropout(), nn.Identity(),
        nn.LayerNorm(4, elementwise_affine=False), nn.Sequential(nn.Linear(4, 2)), nn.MaxPool1d(2),
    )  # fmt: skip
    layers = _layers(model)
    assert _names(layers) == ["0", "1", "3", "5", "6.0"]
    described = _described(layers)
    assert described["0"].parameters == 16
    assert described["1"].activation == "relu"
    assert described["0"].activation is None
    assert described["5"].kind == "LayerNorm"


def test_a_leaf_module_of_ones_own_has_a_row() -> None:
    class Scale(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x * 2

    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale, self.linear = Scale(), nn.Linear(3, 3)

    assert _names(_layers(Outer())) == ["scale", "linear"]


def test_the_root_is_called_by_its_class() -> None:
    layers = _layers(nn.Linear(3, 2))
    assert _names(layers) == ["Linear"]
    assert _described(layers)["Linear"].parameters == 8


def test_bare_parameters_and_parameter_lists() -> None:
    class Bare(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(5))
            self.many = nn.ParameterList([torch.ones(2), torch.ones(3, 3)])
            self.named = nn.ParameterDict({"a": torch.ones(4)})
            self.linear = nn.Linear(2, 2)

    layers = _layers(Bare())
    assert _names(layers) == ["Bare", "many", "named", "linear"]
    assert [layer.parameters for layer in layers.describe()] == [5, 11, 4, 6]
    assert layers.row_of == [0, 1, 1, 2, 3, 3]


def test_built_in_composites() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(10, 8)
            self.attention = nn.MultiheadAttention(8, 2)
            self.lstm = nn.LSTM(8, 4, num_layers=2, bidirectional=True)
            self.norms = nn.ModuleList(
                [nn.BatchNorm1d(8), nn.LayerNorm(8), nn.GroupNorm(2, 8), nn.RMSNorm(8)]
            )

    described = _described(_layers(Model()))
    assert list(described) == [
        "embed", "attention", "attention.out_proj", "lstm.l0", "lstm.l1", "norms.0", "norms.1",
        "norms.2", "norms.3",
    ]  # fmt: skip
    assert described["embed"].parameters == 80
    assert described["attention"].parameters == 3 * 8 * 8 + 3 * 8
    assert described["attention"].activation is None
    stacked = described["lstm.l0"].parameters + described["lstm.l1"].parameters
    assert stacked == sum(p.numel() for p in nn.LSTM(8, 4, 2, bidirectional=True).parameters())
    assert described["embed"].fan_in == 8
    assert [described[f"norms.{place}"].parameters for place in range(4)] == [16, 16, 16, 8]


def test_several_models_have_their_names_in_front() -> None:
    layers = Layers({"maker": nn.Linear(2, 2), "judge": nn.Sequential(nn.Linear(2, 1))}, [])
    assert _names(layers) == ["maker", "judge.0"]


def test_every_parameter_has_its_row_and_rows_never_decrease() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2, bias=False))
    layers = _layers(model)
    assert [id(p) for p in layers.parameters] == [id(p) for p in model.parameters()]
    assert layers.row_of == [0, 0, 2]
    assert layers.index == {id(model[place]): place for place in range(3)}


# -- how rows are described ------------------------------------------------------------------


def test_tied_weights_belong_to_the_first_layer() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.head = nn.Embedding(10, 4), nn.Linear(4, 10)
            self.head.weight = self.embed.weight

    layers = _layers(Tied())
    described = _described(layers)
    assert described["embed"].parameters == 40
    assert described["embed"].tied_to is None
    assert described["head"].parameters == 10  # the bias is its own
    assert described["head"].tied_to == "embed"
    assert layers.row_of == [0, 1]


def test_a_shared_module_has_one_row() -> None:
    shared = nn.Linear(3, 3)
    model = nn.Sequential(shared, nn.ReLU(), shared)
    layers = _layers(model)
    assert _names(layers) == ["0", "1"]
    assert len(layers.parameters) == 2
    _run(layers, model, torch.ones(2, 3))
    assert [layer.order for layer in layers.describe()] == [0, 1]


def test_frozen_layers() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2), nn.Linear(2, 2))
    model[0].requires_grad_(False)
    model[1].weight.requires_grad_(False)
    described = _described(_layers(model))
    assert [described[name].trainable for name in ("0", "1", "2")] == [False, True, True]
    assert described["0"].parameters == 16


def test_parameters_that_no_optimizer_holds() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2), nn.Linear(2, 2))
    first = torch.optim.SGD(model[0].parameters(), lr=0.1)
    second = torch.optim.Adam([model[2].bias])
    described = Layers({"": model}, [first, second]).describe()
    assert [layer.in_optimizer for layer in described] == [True, False, True]


def test_an_unused_layer_was_not_executed() -> None:
    class Partly(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused, self.last = (nn.Linear(3, 3) for _ in range(3))

        def forward(self, x: Tensor) -> Tensor:
            return self.last(self.used(x))

    model = Partly()
    layers = _layers(model)
    _run(layers, model, torch.ones(2, 3))
    described = _described(layers)
    assert [described[name].executed for name in ("used", "unused", "last")] == [True, False, True]
    assert [described[name].order for name in ("used", "unused", "last")] == [0, 1, 2]


# -- the order of execution ------------------------------------------------------------------


def test_execution_against_the_order_of_registration() -> None:
    model = Backwards()
    layers = _layers(model)
    _run(layers, model, torch.ones(2, 3))
    described = _described(layers)
    assert [described[name].order for name in ("first", "middle", "last")] == [0, 1, 2]
    assert _names(layers) == ["last", "middle", "first"]  # until it is sorted
    layers.sort()
    assert _names(layers) == ["first", "middle", "last"]
    first = model.first
    assert [id(p) for p in layers.parameters[:2]] == [id(first.weight), id(first.bias)]
    assert layers.row_of == [0, 0, 1, 1, 2, 2]
    assert layers.index[id(first)] == 0


def test_a_module_called_twice_keeps_the_place_of_its_first_call() -> None:
    a, b = nn.Linear(3, 3), nn.Linear(3, 3)
    layers = _layers(nn.ModuleList([a, b]))
    layers.executed([id(one) for one in [b, a, b]])
    assert [row.order for row in layers.rows] == [1, 0]


def test_what_is_never_called_stands_before_what_is_registered_after_it() -> None:
    class Attends(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(4, 4)
            self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
            self.last = nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Tensor:
            x = self.first(x)
            return self.last(self.attention(x, x, x, need_weights=False)[0])

    model = Attends()
    layers = _layers(model)
    _run(layers, model, torch.ones(2, 3, 4))
    layers.sort()
    assert _names(layers) == ["first", "attention", "attention.out_proj", "last"]


@pytest.mark.parametrize("uncalled", [1, 2, 3, 7])
def test_several_in_a_row_that_are_never_called(uncalled: int) -> None:
    modules = [nn.Linear(1, 1) for _ in range(uncalled + 4)]
    layers = _layers(nn.ModuleList(modules))
    layers.executed([id(one) for one in [*modules[:3], modules[-1]]])
    assert [row.order for row in layers.rows] == list(range(uncalled + 4))


def test_modules_of_others_are_no_rows() -> None:
    a, other = nn.Linear(2, 2), nn.Linear(2, 2)
    layers = _layers(nn.Sequential(a))
    layers.executed([id(one) for one in [other, a]])
    assert [(row.name, row.order) for row in layers.rows] == [("0", 0)]


# -- changes ---------------------------------------------------------------------------------


def test_nothing_changed() -> None:
    layers = _layers(Backwards())
    assert not layers.refresh()


def test_a_module_added_later_gets_a_new_row_at_the_end() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    layers = _layers(model)
    before = list(layers.rows)
    model.insert(0, nn.Linear(3, 3))  # what was `0` is `1` now
    model.add_module("head", nn.Linear(3, 2))
    assert layers.refresh()
    assert _names(layers) == ["0", "1", "2", "head"]
    assert [row is old for row, old in zip(layers.rows, before, strict=False)] == [True, True]
    assert layers.rows[0].module is model[0]
    assert layers.row_of == sorted(layers.row_of)
    assert {id(p) for p in layers.parameters} == {id(p) for p in model.parameters()}
    assert [layer.order for layer in layers.describe()] == [0, 1, 2, 3]


def test_old_rows_keep_their_place_after_sorting() -> None:
    model = Backwards()
    layers = _layers(model)
    _run(layers, model, torch.ones(2, 3))
    layers.sort()
    model.extra = nn.Linear(3, 3)
    assert layers.refresh()
    assert _names(layers) == ["first", "middle", "last", "extra"]
    assert layers.rows[0].executed
    assert not layers.rows[3].executed


def test_a_module_replaced_under_its_name() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    layers = _layers(model)
    model[1] = nn.Linear(3, 7)
    assert layers.refresh()
    assert _names(layers) == ["0", "1"]
    assert layers.describe()[1].parameters == 28
    assert layers.index[id(model[1])] == 1
    assert id(model[1].weight) in {id(p) for p in layers.parameters}
    assert len(layers.parameters) == 4


def test_a_removed_module_leaves_an_empty_row() -> None:
    model = nn.Sequential()
    model.body, model.old = nn.Linear(3, 3), nn.Linear(3, 3)
    layers = _layers(model)
    del model.old
    model.new = nn.Linear(3, 2)
    assert layers.refresh()
    assert _names(layers) == ["body", "old", "new"]
    assert {id(p) for p in layers.parameters} == {id(p) for p in model.parameters()}


@pytest.mark.parametrize(
    "change",
    [
        lambda model, optimizer: model[0].weight.requires_grad_(False),
        lambda model, optimizer: optimizer.add_param_group({"params": [model[1].bias]}),
        lambda model, optimizer: setattr(model[0], "weight", nn.Parameter(torch.ones(3, 3))),
    ],
    ids=["frozen", "group", "parameter"],
)
def test_changes_that_are_noticed(
    change: Callable[[nn.Sequential, torch.optim.Optimizer], object],
) -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    optimizer = torch.optim.SGD(model[0].parameters(), lr=0.1)
    layers = _layers(model, optimizer)
    change(model, optimizer)
    assert layers.refresh()
    assert not layers.refresh()


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_lazy_layers_come_when_they_have_a_shape() -> None:
    model = nn.Sequential(nn.Linear(3, 5), nn.LazyLinear(4), nn.LazyBatchNorm1d())
    layers = _layers(model)
    assert layers.waits_for_shapes
    assert "1" not in _names(layers)
    _run(layers, model, torch.ones(2, 3))
    assert layers.refresh()
    assert not layers.waits_for_shapes
    _run(layers, model, torch.ones(2, 3))
    layers.sort()
    assert _names(layers) == ["0", "1", "2"]
    assert _described(layers)["1"].parameters == 24
    assert {id(p) for p in layers.parameters} == {id(p) for p in model.parameters()}


# -- names and modes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prefix", "path", "name"),
    [
        ("", "a.b", "a.b"),
        ("model", "", "model"),
        ("model", "a", "model.a"),
        ("", "", ""),
        ("", "_orig_mod.a._orig_mod.b", "a.b"),
        ("m", "_fsdp_wrapped_module.a", "m.a"),
        ("", "a._checkpoint_wrapped_module.b", "a.b"),
    ],
)
def test_names_without_wrappers(prefix: str, path: str, name: str) -> None:
    assert qualified(prefix, path) == name


def test_the_share_that_a_dropout_drops_is_in_the_chart() -> None:
    described = _described(_layers(nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.3), nn.ReLU())))
    assert described["1"].dropout == 0.3
    assert described["0"].dropout is None
