"""Which module runs which operation of the graph of a loss, learned once."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

from paramedic.probe.call import Call
from paramedic.probe.glimpse import mark_of, memory_of
from paramedic.probe.graph import operation_of, saved_tensors

AFTER = ""  # the owner of what is computed after the model


class GraphMap:
    """Remembers which module ran which operation, learned on a step with forward hooks.

    On later steps, without hooks, operations get the same names as far as the graph is the same:
    it may go on in another way after the model.
    """

    def __init__(self) -> None:
        self._operations: list[str] = []
        self._owners: list[str | None] = []
        self._end = 0  # of the operations that belong to modules
        self._inputs: set[tuple[int, str]] = set()  # arguments that are inputs of the model

    def learn(
        self,
        nodes: Sequence[Any],
        calls: Sequence[Call],
        names: dict[int, str],
        models: Container[int] = (),
    ) -> None:
        """Take the innermost module around each operation from the calls of a forward pass."""
        positions = {mark_of(node): position for position, node in enumerate(nodes)}
        spans = [span for call in calls if (span := _span(call, positions, names)) is not None]
        if not spans:  # somebody else's graph
            return
        self._operations = [operation_of(node) for node in nodes]
        self._owners = [None] * len(nodes)
        for begin, end, name in sorted(spans, key=lambda span: span[0] - span[1]):
            self._owners[begin:end] = [name] * (end - begin)
        self._end = max(end for _, end, _ in spans)
        given = {
            one.memory
            for call in calls
            if call.key in models
            for one in call.inputs
            if one.memory is not None
        }
        self._inputs = set(_inputs(nodes, given))

    @property
    def is_empty(self) -> bool:
        return not self._operations

    def owner(self, nodes: Sequence[Any], position: int) -> str | None:
        """The module that ran the operation at `position`, `AFTER` if it came after the model, or
        None if that is not known."""
        same = self._same(nodes)
        if position >= self._end:
            return AFTER if self._operations and same >= self._end else None
        return self._owners[position] if position < same else None

    def is_input(self, nodes: Sequence[Any], position: int, argument: str) -> bool:
        """Whether an argument of the operation at `position` is the input of the model as it was
        given, not something that was computed from it."""
        return (position, argument) in self._inputs and position < self._same(nodes)

    def _same(self, nodes: Sequence[Any]) -> int:
        """How many operations, from the first, are those that were learned."""
        pairs = zip(self._operations, nodes, strict=False)
        different = (
            place for place, (name, node) in enumerate(pairs) if name != operation_of(node)
        )
        return next(different, min(len(self._operations), len(nodes)))


def _span(
    call: Call, positions: dict[int | None, int], names: dict[int, str]
) -> tuple[int, int, str] | None:
    """The run of operations between the inputs and the output of one call."""
    name = names.get(call.key)
    if name is None or call.output is None or call.output.mark not in positions:
        return None
    before = [positions[one.mark] for one in call.inputs if one.mark in positions]
    return max(before, default=-1) + 1, positions[call.output.mark] + 1, name


def _inputs(nodes: Sequence[Any], given: Container[int]) -> Iterator[tuple[int, str]]:
    for position, node in enumerate(nodes):
        for name, value in saved_tensors(node).items():
            if memory_of(value) in given:
                yield position, name
