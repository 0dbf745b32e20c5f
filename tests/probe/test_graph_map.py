"""Whose operation it was: by the modules that were seen once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.probe.forward import ForwardTap
from paramedic.probe.graph import nodes_in_order
from paramedic.probe.graph_map import AFTER, GraphMap


def _names(nodes: list[Any]) -> list[str]:
    return [type(node).__name__.rstrip("0123456789") for node in nodes]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(nn.Linear(3, 4), nn.Tanh())
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.block(x).exp())


def _learned(model: nn.Module) -> tuple[GraphMap, Callable[[], list[Any]]]:
    """A map of the model's graph, and how to make another graph of the same kind."""
    names = {id(module): name or "(root)" for name, module in model.named_modules()}
    tap = ForwardTap(names)
    tap.open()
    loss = model(torch.ones(2, 3)).pow(2).sum()
    known = GraphMap()
    known.learn(nodes_in_order([loss]), tap.take(), names, {id(model)})
    tap.close()
    return known, lambda: nodes_in_order([model(torch.ones(2, 3)).pow(2).sum()])


def test_each_operation_belongs_to_the_innermost_module() -> None:
    known, make = _learned(Net())
    nodes = make()
    owners = {name: known.owner(nodes, place) for place, name in enumerate(_names(nodes))}
    assert owners["TanhBackward"] == "block.1"
    assert owners["ExpBackward"] == "(root)"
    assert owners["PowBackward"] == AFTER
    assert owners["SumBackward"] == AFTER
    linear = [known.owner(nodes, p) for p, name in enumerate(_names(nodes)) if "Addmm" in name]
    assert linear == ["block.0", "head"]


def test_a_graph_that_goes_on_in_another_way_after_the_model() -> None:
    model = Net()
    known, _ = _learned(model)
    nodes = nodes_in_order([model(torch.ones(2, 3)).sin().sum() * 3])
    assert known.owner(nodes, 0) == "block.0"
    assert {known.owner(nodes, place) for place in range(len(nodes) - 3, len(nodes))} == {AFTER}


def test_another_graph_is_not_known() -> None:
    known, _ = _learned(Net())
    other = nodes_in_order([nn.Linear(3, 2)(torch.ones(2, 3)).sin().sum()])
    assert known.owner(other, len(other) - 1) is None


def test_only_what_the_model_was_given_is_an_input() -> None:
    known, make = _learned(Net())
    nodes = make()
    first = next(p for p, name in enumerate(_names(nodes)) if "Addmm" in name)
    assert known.is_input(nodes, first, "mat1")
    assert not any(known.is_input(nodes, place, "mat1") for place in range(first + 1, len(nodes)))
    assert not known.is_input(nodes[1:], first, "mat1")


def test_nothing_learned_yet() -> None:
    known, make = GraphMap(), _learned(Net())[1]
    assert known.is_empty
    assert known.owner(make(), 0) is None
    assert not _learned(Net())[0].is_empty
