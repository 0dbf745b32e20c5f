"""Changing calls in the code of a module: `F.relu(x)` becomes `self.leakyrelu_1(x)`.

Only the code of that one module is traced by `torch.fx`; its children stay as they are, and so
does the model around it. What tracing would silently change is refused: code that depends on the
data, on the mode (but for dropout, which becomes a module), or on numbers drawn at the moment.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from typing import Any

import torch
from torch import fx, nn

from paramedic.treat.surgery.calling import output_of, quiet
from paramedic.treat.surgery.kinds import Part, kind_of_call
from paramedic.treat.surgery.operation import Refusal, told
from paramedic.treat.surgery.places import fresh_name, put
from paramedic.treat.surgery.survey import Survey

_TABLES = ("_modules", "_parameters", "_buffers")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
_DROPOUTS: dict[str, type[nn.Module]] = {
    "dropout": nn.Dropout,
    "dropout1d": nn.Dropout1d,
    "dropout2d": nn.Dropout2d,
    "dropout3d": nn.Dropout3d,
    "alpha_dropout": nn.AlphaDropout,
}


class Retraced(fx.GraphModule):
    """A traced module that keeps what its forward pass does not mention, also when copied."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Retraced:
        twin = super().__deepcopy__(memo)
        assert isinstance(twin, Retraced)
        type(twin).__name__ = type(self).__name__
        for name, value in self.__dict__.items():
            if name not in twin.__dict__ or name in _TABLES:
                twin.__dict__[name] = copy.deepcopy(value, memo)
        return twin


class _Tracer(fx.Tracer):
    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return True


Edit = Callable[[Retraced, list[fx.Node]], None]


def rewritten(model: nn.Module, survey: Survey, name: str, example: Any, edit: Edit) -> nn.Module:
    """The model with other code in the module called `name`.

    `edit` is given the traced module and the calls of activations in it, in order.
    """
    module = model.get_submodule(name)
    label = name or type(module).__name__
    traced = _traced(module, survey, label)
    same = put(copy.deepcopy(model), name, copy.deepcopy(traced))
    if not _agree(output_of(model, example), output_of(same, example)):
        raise Refusal(
            f"torch.fx traces `{label}` to something else than it computes; replace the "
            "functions in its code by modules, or try another remedy."
        )
    edit(traced, [node for node in traced.graph.nodes if _kind(node)])
    traced.graph.lint()
    traced.recompile()
    return put(model, name, traced)


def swap(places: Collection[int], part: Part, stem: str) -> Edit:
    """An edit that puts a new module in the place of activations, counted in the code."""

    def edit(traced: Retraced, nodes: list[fx.Node]) -> None:
        _check_count(nodes, places)
        for place in places:
            name = fresh_name(traced, stem)
            made = part.make()
            traced.add_module(name, made.train(traced.training))
            _call_instead(traced, nodes[place], name)

    return edit


def drop(places: Collection[int]) -> Edit:
    """An edit that takes activations away."""

    def edit(traced: Retraced, nodes: list[fx.Node]) -> None:
        _check_count(nodes, places)
        for place in places:
            nodes[place].replace_all_uses_with(_input(nodes[place]))
            traced.graph.erase_node(nodes[place])

    return edit


def end_in(part: Part, stem: str) -> Edit:
    """An edit that hands what is returned through a new module first."""

    def edit(traced: Retraced, nodes: list[fx.Node]) -> None:
        name = fresh_name(traced, stem)
        traced.add_module(name, part.make().train(traced.training))
        last = next(node for node in traced.graph.nodes if node.op == "output")
        with traced.graph.inserting_before(last):
            new = traced.graph.call_module(name, (last.args[0],))
        last.args = (new,)

    return edit


def keep(traced: Retraced, nodes: list[fx.Node]) -> None:
    """An edit that changes nothing but what tracing does: functional dropout becomes modules."""


def _check_count(nodes: list[fx.Node], places: Collection[int]) -> None:
    if max(places) >= len(nodes) or any(not nodes[place].users for place in places):
        raise Refusal(
            "The activation works in place, so that its result is not seen in the code; write "
            "`x = F.relu(x)`, or use a module."
        )


def _call_instead(traced: Retraced, node: fx.Node, name: str) -> None:
    with traced.graph.inserting_after(node):
        new = traced.graph.call_module(name, (_input(node),))
    node.replace_all_uses_with(new)
    traced.graph.erase_node(node)


def _input(node: fx.Node) -> fx.Node:
    found = node.args[0] if node.args else node.kwargs["input"]
    assert isinstance(found, fx.Node)
    return found


def _kind(node: fx.Node) -> str | None:
    if node.op not in ("call_function", "call_method"):
        return None
    return kind_of_call(_called(node), node.args, node.kwargs)


def _called(node: fx.Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")


def _traced(module: nn.Module, survey: Survey, label: str) -> Retraced:
    if any(getattr(module, table) for table in _HOOKS):
        raise Refusal(f"`{label}` has hooks, which tracing would lose; remove them first.")
    constants = dict(survey.constants.get(_path(survey, label), {}))
    graphs = [_graph(module, training, constants, label) for training in (False, True)]
    dropouts = _dropouts(graphs[0], graphs[1], label)
    traced = Retraced(module, graphs[1], type(module).__name__)
    for table in _TABLES:  # also what the code does not mention, in the same order
        traced.__dict__[table] = {**module.__dict__[table], **_new(traced, module, table)}
    for name, value in module.__dict__.items():
        traced.__dict__.setdefault(name, value)
    traced.training = module.training
    for node in dropouts:
        _as_module(traced, node)
    traced.recompile()
    return traced


def _path(survey: Survey, label: str) -> str:
    return label if label in survey.constants else ""


def _new(traced: nn.Module, module: nn.Module, table: str) -> dict[str, Any]:
    before = module.__dict__[table]
    return {name: value for name, value in traced.__dict__[table].items() if name not in before}


def _graph(module: nn.Module, training: bool, constants: dict[str, Any], label: str) -> fx.Graph:
    twin = copy.copy(module)  # only the mode of the module itself is another one
    twin.training = training
    try:
        with quiet():
            graph = _Tracer().trace(twin, concrete_args=constants or None)
    except Exception as error:
        raise Refusal(
            f"The functions in the code of `{label}` cannot be exchanged, because torch.fx cannot "
            f"trace it ({told(error)}); use modules there (`self.act = nn.ReLU()`), or try "
            "another remedy."
        ) from error
    read = [str(node.target) for node in graph.nodes if node.op == "get_attr"]
    if any("_tensor_constant" in name for name in read):
        raise Refusal(
            f"`{label}` makes a tensor in its code that tracing would keep for ever; register it "
            "as a buffer, or try another remedy."
        )
    for node in graph.nodes:
        node.type = None  # an annotation that is a string would make the module unpicklable
        # Fixed arguments keep their names, for who calls by name.
        if node.op == "placeholder" and str(node.target).rpartition("_")[0] in constants:
            node.target = str(node.target).rpartition("_")[0]
    return graph


def _dropouts(evaluating: fx.Graph, training: fx.Graph, label: str) -> list[fx.Node]:
    """The calls of dropout that follow the mode; nothing else may."""
    nodes = list(training.nodes)
    pairs = list(zip(evaluating.nodes, nodes, strict=False))
    different = [(one, other) for one, other in pairs if _text(one) != _text(other)]
    follows = [other for one, other in different if _called(other) in _DROPOUTS]
    if len(evaluating.nodes) != len(nodes) or len(follows) != len(different):
        raise Refusal(
            f"The code of `{label}` does something else in training than in evaluation, which "
            "tracing cannot keep; use modules there, or try another remedy."
        )
    return follows


def _text(node: fx.Node) -> tuple[str, ...]:
    return node.op, str(node.target), repr(node.args), repr(node.kwargs)


def _as_module(traced: Retraced, node: fx.Node) -> None:
    share = node.kwargs.get("p", node.args[1] if len(node.args) > 1 else 0.5)
    kind = _called(node)
    name = fresh_name(traced, kind)
    traced.add_module(name, _DROPOUTS[kind](share).train(traced.training))
    _call_instead(traced, node, name)


def _agree(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return isinstance(other, torch.Tensor) and torch.equal(
            torch.nan_to_num(one), torch.nan_to_num(other)
        )
    if isinstance(one, dict):
        return all(_agree(value, other[key]) for key, value in one.items())
    if isinstance(one, tuple | list):
        return all(_agree(*pair) for pair in zip(one, other, strict=True))
    return True
