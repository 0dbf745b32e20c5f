"""Where a NaN or an infinity was born: the batch, a weight, a module, the loss or a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from paramedic.probe.forward import Call
from paramedic.probe.graph import Birth, GraphMap, find_birth, nodes_in_order
from paramedic.probe.layers import Layers, qualified
from paramedic.probe.meter import any_nonfinite

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
            "loss": "born in the loss function: the model's output was finite",
            "gradient": f"born in the backward pass, first seen in the gradient of `{self.where}`",
            "unknown": "its origin could not be traced; watch with `on_nan='replay'` to find it",
        }[self.kind]
        operation = f" ({self.operation.removesuffix('Backward')})" if self.operation else ""
        samples = f", samples {', '.join(map(str, self.samples))}" if self.samples else ""
        return f"Step {step}: non-finite, {place}{operation}{samples}."

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
            self._map.learn(nodes_in_order(roots), calls, self._names())

    def of_loss(self, roots: Sequence[Tensor], calls: Sequence[Call], how: str = "seen") -> Origin:
        """The origin of a non-finite loss, before its backward pass."""
        weight = self._bad_weight()
        if weight is not None:
            return Origin("weight", weight, "seen")
        if calls:
            return self._among(calls, how)
        return self._in_graph(roots)

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
        poisoned: Tensor | None = None
        for call in calls:
            if call.output is None or _is_finite(call.output):
                continue
            bad = [one for one in call.inputs if not _is_finite(one)]
            if isinstance(call.module, nn.modules.loss._Loss):
                if len(call.inputs) > 1 and any(one is call.inputs[1] for one in bad):
                    return Origin("target", TARGET, how, samples=_samples(call.inputs[1]))
                return Origin("loss", LOSS, how)
            if not bad:
                return Origin("module", names.get(id(call.module), ""), how)
            if id(call.module) in self._layers.roots:
                return Origin("input", INPUT, how, samples=_samples(bad[0]))
            poisoned = bad[0] if poisoned is None else poisoned
        if poisoned is None:
            return Origin("loss", LOSS, how)
        # The model as a whole was never called: what no operation computed came from outside.
        if poisoned.grad_fn is None:
            return Origin("input", INPUT, how, samples=_samples(poisoned))
        return Origin("unknown", "", how)

    def _in_graph(self, roots: Sequence[Tensor]) -> Origin:
        nodes = nodes_in_order(roots)
        birth = find_birth(nodes)
        if birth is None:
            return Origin("unknown", "", "graph")
        if birth.kind == "weight" and birth.parameter is not None:
            return Origin("weight", self._parameter_name(birth.parameter), "graph")
        if birth.kind == "input":
            known = self._map.knows(nodes) and self._map.owner(nodes, birth.position) is None
            return Origin("target", TARGET, "graph") if known else Origin("input", INPUT, "graph")
        return self._operation(nodes, birth)

    def _operation(self, nodes: Sequence[Any], birth: Birth) -> Origin:
        if self._map.knows(nodes):
            owner = self._map.owner(nodes, birth.position)
            if owner is None:
                return Origin("loss", LOSS, "graph", birth.operation)
            return Origin("module", owner, "graph", birth.operation)
        near = self._nearest(nodes[birth.position])
        return Origin("module" if near else "unknown", near, "graph", birth.operation)

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
            id(module): qualified(prefix, path) or type(module).__name__
            for prefix, model in self._layers.models.items()
            for path, module in model.named_modules()
        }

    def _parameter_name(self, wanted: Tensor) -> str:
        for prefix, model in self._layers.models.items():
            for path, parameter in model.named_parameters():
                if parameter is wanted:
                    return qualified(prefix, path)
        return ""


def _is_finite(tensor: Tensor) -> bool:
    if not tensor.is_floating_point() or tensor.layout is not torch.strided:
        return True
    return bool(torch.isfinite(tensor.detach()).all())


def _samples(tensor: Tensor) -> tuple[int, ...]:
    """The first few samples of a batch that have a non-finite value."""
    if not tensor.dim():
        return ()
    rows = torch.isfinite(tensor.detach()).reshape(len(tensor), -1).all(dim=1)
    return tuple(torch.nonzero(~rows).flatten()[:8].tolist())
