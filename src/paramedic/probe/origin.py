"""Where a NaN or an infinity was born: the batch, a weight, a module, the loss or a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from paramedic.probe.call import Call
from paramedic.probe.graph import (
    Birth,
    find_birth,
    nodes_in_order,
    operation_of,
    unproven,
)
from paramedic.probe.graph_map import AFTER, GraphMap
from paramedic.probe.layers import Layers, qualified
from paramedic.probe.meter import any_nonfinite
from paramedic.probe.tree import parts
from paramedic.probe.trouble import bad_samples

LOSS = "(loss)"
INPUT = "(input)"
TARGET = "(target)"


@dataclass(frozen=True, slots=True)
class Origin:
    """The first place that was not finite while everything before it was.

    `kind` is `input`, `target`, `weight`, `module`, `loss`, `gradient` or `unknown`; `where` the
    name of the parameter or module; `how` we know: `seen` (values were there to look at),
    `graph` (autograd's record), `replay` (the batch was run again).
    """

    kind: str
    where: str
    how: str
    operation: str = ""
    samples: tuple[int, ...] = ()

    def sentence(self, step: int, batch: int) -> str:
        """What to tell the user."""
        place = {
            "input": f"the input of batch {batch} was not finite",
            "target": f"the targets of batch {batch} were not finite",
            "weight": f"the weights `{self.where}` were not finite before the forward pass",
            "module": f"born in the forward pass of `{self.where}`, whose inputs were finite",
            "loss": "born after the model, in the computation of the loss",
            "gradient": f"born in the backward pass, first seen in the gradient of `{self.where}`",
            "unknown": f"{self._first_seen()}cannot tell where it was born; "
            "watch with `on_nan='replay'` to find it",
        }[self.kind]
        operation = f" ({self.operation.removesuffix('Backward')})" if self.operation else ""
        samples = f", samples {', '.join(map(str, self.samples))}" if self.samples else ""
        return f"Step {step}: non-finite, {place}{operation}{samples}."

    def _first_seen(self) -> str:
        return f"first seen at `{self.where}`, " if self.where else ""

    def to_json(self) -> dict[str, Any]:
        """For the data of an event."""
        return {
            "kind": self.kind, "where": self.where, "how": self.how,
            "operation": self.operation, "samples": list(self.samples),
        }  # fmt: skip


class OriginFinder:
    """Looks for the origin when a loss or a gradient is not finite; costs nothing before that."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._map = GraphMap()

    def learn(self, roots: Sequence[Tensor], calls: Sequence[Call]) -> None:
        """Remember which module runs which operation, once, on a step with forward hooks."""
        if self._map.is_empty and calls:
            self._map.learn(nodes_in_order(roots), calls, self._names(), self._layers.roots)

    def of_loss(self, roots: Sequence[Tensor], calls: Sequence[Call], how: str = "seen") -> Origin:
        """The origin of a non-finite loss, before its backward pass."""
        weight = self._bad_weight()
        if weight is not None:
            return Origin("weight", weight, "seen")
        if not calls:
            return self._in_graph(roots)
        found = self._among(calls, how)
        return self._in_loss(roots, how) if found.kind == "loss" else found

    def of_gradient(self) -> Origin:
        """The origin of a non-finite gradient under a finite loss, after the backward pass."""
        last_first = sorted(self._layers.rows, key=lambda row: row.order, reverse=True)
        for row in last_first:
            for parameter in row.parameters:
                if parameter.grad is not None and any_nonfinite(parameter.grad):
                    return Origin("gradient", self._parameter_name(parameter), "seen")
        return Origin("unknown", "", "seen")

    def _bad_weight(self) -> str | None:
        for row in sorted(self._layers.rows, key=lambda row: row.order):
            for parameter in row.parameters:
                if parameter.is_floating_point() and any_nonfinite(parameter):
                    return self._parameter_name(parameter)
        return None

    def _among(self, calls: Sequence[Call], how: str) -> Origin:
        """The first call, in order of completion, that made a non-finite output of finite input."""
        names = self._names()
        poisoned = ""
        for call in calls:
            if call.finite:
                continue
            if call.is_loss:
                target = next((bad for bad in call.bad if bad.place == 1), None)
                if target is not None:
                    return Origin("target", TARGET, how, samples=target.samples)
                break
            if not call.bad:
                return Origin("module", names.get(call.key, ""), how)
            if call.key in self._layers.roots and call.bad[0].is_leaf:
                return Origin("input", INPUT, how, samples=call.bad[0].samples)
            poisoned = poisoned or names.get(call.key, "")
        # What a part was given may come from the batch, or from code between the parts.
        return Origin("unknown", poisoned, how) if poisoned else Origin("loss", LOSS, how)

    def _in_loss(self, roots: Sequence[Tensor], how: str) -> Origin:
        """What the graph says of a value that was born after the model."""
        nodes = nodes_in_order(roots)
        birth = find_birth(nodes)
        if birth is None:
            return self._late(roots, nodes, how)
        if birth.argument == "target":
            return Origin("target", TARGET, how, samples=bad_samples(birth.value))
        return Origin("loss", LOSS, how, birth.operation)

    def _in_graph(self, roots: Sequence[Tensor]) -> Origin:
        nodes = nodes_in_order(roots)
        birth = find_birth(nodes)
        if birth is None:
            after = all(
                self._map.owner(nodes, nodes.index(node)) == AFTER
                for node in unproven(roots, nodes)
            )
            return self._late(roots, nodes, "graph") if after else Origin("unknown", "", "graph")
        if birth.kind == "weight" and birth.parameter is not None:
            return Origin("weight", self._parameter_name(birth.parameter), "graph")
        if birth.kind == "outside" and birth.value is not None:
            return self._outside(nodes, birth, birth.value)
        return self._operation(nodes, birth)

    def _late(self, roots: Sequence[Tensor], nodes: Sequence[Any], how: str) -> Origin:
        """Nothing that the graph saved is bad: it was one of the last operations."""
        last = unproven(roots, nodes)
        return Origin("loss", LOSS, how, operation_of(last[0]) if len(last) == 1 else "")

    def _outside(self, nodes: Sequence[Any], birth: Birth, value: Tensor) -> Origin:
        """An operation was given something that the graph did not compute."""
        if birth.argument == "target":
            return Origin("target", TARGET, "graph", samples=bad_samples(value))
        if self._map.is_input(nodes, birth.position, birth.argument):
            return Origin("input", INPUT, "graph", samples=bad_samples(value))
        owner = self._map.owner(nodes, birth.position)
        if owner == AFTER or value.dim() == 0:  # a single number is no batch
            return self._operation(nodes, birth)
        return Origin("unknown", owner or "", "graph", birth.operation)

    def _operation(self, nodes: Sequence[Any], birth: Birth) -> Origin:
        owner = self._map.owner(nodes, birth.position)
        if owner == AFTER:
            return Origin("loss", LOSS, "graph", birth.operation)
        if owner is not None:
            return Origin("module", owner, "graph", birth.operation)
        return Origin("unknown", self._nearest(nodes[birth.position]), "graph", birth.operation)

    def _nearest(self, node: Any) -> str:
        """The layer whose parameters were used last before an operation."""
        queue = [node]
        for _ in range(200):
            if not queue:
                break
            current = queue.pop(0)
            if hasattr(current, "variable"):
                return self._parameter_name(current.variable).rpartition(".")[0]
            queue.extend(after for after, _ in current.next_functions if after is not None)
        return ""

    def _names(self) -> dict[int, str]:
        return {
            id(part.module): qualified(prefix, part.path) or type(part.module).__name__
            for prefix, model in self._layers.models.items()
            for part in parts(model)
        }

    def _parameter_name(self, wanted: Tensor) -> str:
        for prefix, model in self._layers.models.items():
            for path, parameter in model.named_parameters():
                if parameter is wanted:
                    return qualified(prefix, path)
        return ""
