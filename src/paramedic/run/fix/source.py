"""A file of the user's as a tree that keeps comments and formatting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import libcst as cst
from libcst import metadata

Node = TypeVar("Node", bound=cst.CSTNode)
_MARK = "\ufeff"  # with which some editors begin a file
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


class Source:
    """A parsed file; every change gives a new text and leaves this one as it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_bytes().decode("utf-8")
        self._mark = _MARK if self.text.startswith(_MARK) else ""  # the parser drops it
        self._wrapper = metadata.MetadataWrapper(cst.parse_module(self.text), unsafe_skip_copy=True)
        self.module = self._wrapper.module

    @cached_property
    def _positions(self) -> dict[cst.CSTNode, metadata.CodeRange]:
        return dict(self._wrapper.resolve(metadata.PositionProvider))

    @cached_property
    def _parents(self) -> dict[cst.CSTNode, cst.CSTNode]:
        return dict(self._wrapper.resolve(metadata.ParentNodeProvider))

    # -- finding -----------------------------------------------------------------------------

    def all(self, kind: type[Node], wanted: Callable[[Node], bool] | None = None) -> list[Node]:
        """All nodes of a kind, in the order of the file."""
        found = [
            node
            for node in self._positions
            if isinstance(node, kind) and (wanted is None or wanted(node))
        ]
        return sorted(found, key=lambda node: self._begin(node))

    def at(
        self, line: int, kind: type[Node], wanted: Callable[[Node], bool] | None = None
    ) -> Node | None:
        """The smallest node of a kind that covers a line; of equals the first."""
        covering = [node for node in self.all(kind, wanted) if self._covers(node, line)]
        return min(covering, key=self._size, default=None)

    def all_at(
        self, line: int, kind: type[Node], wanted: Callable[[Node], bool] | None = None
    ) -> list[Node]:
        """The nodes of a kind that begin on a line."""
        return [node for node in self.all(kind, wanted) if self._begin(node)[0] == line]

    def _covers(self, node: cst.CSTNode, line: int) -> bool:
        where = self._positions[node]
        return where.start.line <= line <= where.end.line

    def _begin(self, node: cst.CSTNode) -> tuple[int, int]:
        start = self._positions[node].start
        return start.line, start.column

    def _size(self, node: cst.CSTNode) -> int:
        where = self._positions[node]
        return where.end.line - where.start.line

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """What a node is part of."""
        return self._parents.get(node)

    def around(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What a node is part of, from inside out."""
        parent = self.parent(node)
        while parent is not None:
            yield parent
            parent = self.parent(parent)

    def statement(self, node: cst.CSTNode) -> Statement:
        """The whole statement that a node is part of."""
        for one in (node, *self.around(node)):
            if isinstance(one, cst.SimpleStatementLine | cst.BaseCompoundStatement):
                return one
        raise LookupError("a node without a statement")

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node."""
        return self.module.code_for_node(node)

    # -- changing ----------------------------------------------------------------------------

    def replaced(self, *changes: tuple[cst.CSTNode, cst.CSTNode]) -> str:
        """The text with other nodes in the place of some."""
        visitor = _Replacing(dict(changes))
        changed = self.module.visit(visitor)
        assert isinstance(changed, cst.Module)
        return self._mark + changed.code

    def inserted(self, beside: cst.CSTNode, code: str, *, after: bool = False) -> str:
        """The text with a statement more, before or after the one that `beside` is part of."""
        statement = self.statement(beside)
        block = self.parent(statement)
        assert isinstance(block, cst.IndentedBlock | cst.Module)
        new = cst.parse_statement(code, config=self.module.config_for_parsing)
        body = list(block.body)
        place = next(i for i, one in enumerate(body) if one is statement)
        if not after and isinstance(statement, cst.SimpleStatementLine | cst.For | cst.While):
            new = new.with_changes(leading_lines=statement.leading_lines)
            body[place] = statement.with_changes(leading_lines=())
        body.insert(place + after, new)
        return self.replaced((block, block.with_changes(body=body)))


class _Replacing(cst.CSTTransformer):
    def __init__(self, changes: dict[cst.CSTNode, cst.CSTNode]) -> None:
        super().__init__()
        self._changes = changes

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        return self._changes.get(original_node, updated_node)


def expression(code: str) -> cst.BaseExpression:
    """A piece of code as a node."""
    return cst.parse_expression(code)


def last_name(node: cst.CSTNode) -> str:
    """`Adam` of `torch.optim.Adam`; empty for what has no name."""
    if isinstance(node, cst.Name):
        return node.value
    return node.attr.value if isinstance(node, cst.Attribute) else ""


def called(*names: str) -> Callable[[cst.Call], bool]:
    """Whether a call is one of a function or method of these names."""
    return lambda call: last_name(call.func) in names


def number(node: cst.CSTNode | None) -> float | None:
    """The value of a number that stands in the source; None if it is none."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = number(node.expression)
        return None if inner is None else -inner
    if isinstance(node, cst.Float | cst.Integer):
        return float(node.evaluated_value)
    return None


def argument(call: cst.Call, name: str, place: int | None = None) -> cst.Arg | None:
    """An argument of a call by its name, or by its place."""
    for position, one in enumerate(call.args):
        if one.keyword is not None and one.keyword.value == name:
            return one
        if one.keyword is None and not one.star and position == place:
            return one
    return None
