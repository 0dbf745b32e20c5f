"""Where a value that a call is given is defined: a number, a constant, a default, a setting.

A value is changed at its root: the constant at the top of the file, the default of `argparse`, of
a function or of a configuration. Where the root is not certain, the expression itself is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from paramedic.run.fix.source import Source, argument, called, expression, last_name, number


@dataclass(frozen=True, slots=True)
class Change:
    """A node and what replaces it, or the command line that does."""

    old: cst.CSTNode | None = None
    new: cst.CSTNode | None = None
    arguments: tuple[str, ...] | None = None


def change(
    source: Source, given: cst.BaseExpression, value: str, factor: float, command: Sequence[str]
) -> Change:
    """How to make `given`, an expression, come to `value`, which is `factor` times what it is."""
    if number(given) is not None:
        return Change(given, expression(value))
    override = _override(given, value, command)
    if override is not None:
        return Change(arguments=override)
    roots = [node for node in _roots(source, given) if number(node) is not None]
    if len(roots) == 1:
        return Change(roots[0], expression(value))
    return Change(given, expression(f"{factor:.2g} * {_bracketed(source.code(given), given)}"))


def _bracketed(code: str, node: cst.BaseExpression) -> str:
    simple = isinstance(node, cst.Name | cst.Attribute | cst.Subscript | cst.Call)
    return code if simple else f"({code})"


def _override(
    given: cst.BaseExpression, value: str, command: Sequence[str]
) -> tuple[str, ...] | None:
    """The command line with another value, if this one was given there."""
    if not isinstance(given, cst.Attribute):
        return None
    flag = "--" + given.attr.value.replace("_", "-")
    words = list(command)
    for place, word in enumerate(words):
        name, equals, _ = word.partition("=")
        if name.replace("_", "-") != flag:
            continue
        if equals:
            words[place] = f"{name}={value}"
        elif place + 1 < len(words):
            words[place + 1] = value
        return tuple(words)
    return None


def _roots(source: Source, given: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The expressions that may define a value, nearest first."""
    if isinstance(given, cst.Name):
        return _of_name(source, given)
    if isinstance(given, cst.Attribute):
        return list(_of_setting(source, given.attr.value))
    if isinstance(given, cst.Subscript):
        return list(_of_key(source, given))
    return []


def _of_name(source: Source, name: cst.Name) -> list[cst.BaseExpression]:
    """Of a name: what the function around it says, else what the file says."""
    function = next((one for one in source.around(name) if isinstance(one, cst.FunctionDef)), None)
    if function is not None:
        inside = list(_assigned(source, name.value, function))
        parameters = [*function.params.params, *function.params.kwonly_params]
        defaults = [
            one.default for one in parameters if one.name.value == name.value and one.default
        ]
        calls = _given_by_callers(source, name.value)
        if inside or defaults:
            return inside or calls or defaults
    return list(_assigned(source, name.value, None))


def _given_by_callers(source: Source, name: str) -> list[cst.BaseExpression]:
    return [
        one.value
        for call in source.all(cst.Call)
        for one in call.args
        if one.keyword is not None and one.keyword.value == name and number(one.value) is not None
    ]


def _assigned(
    source: Source, name: str, function: cst.FunctionDef | None
) -> Iterator[cst.BaseExpression]:
    """What is assigned to a name in a function, or at the top of the file."""
    for node in source.all(cst.Assign):
        target = node.targets[0].target
        around = (one for one in source.around(node) if isinstance(one, cst.FunctionDef))
        if isinstance(target, cst.Name) and target.value == name and next(around, None) is function:
            yield node.value
    for annotated in source.all(cst.AnnAssign):
        around = (one for one in source.around(annotated) if isinstance(one, cst.FunctionDef))
        same = last_name(annotated.target) == name and next(around, None) is function
        if same and annotated.value is not None:
            yield annotated.value


def _of_setting(source: Source, name: str) -> Iterator[cst.BaseExpression]:
    """Of `args.lr`, `config.lr`, `self.lr`: the default of a flag, a field, a keyword."""
    flags = {f"--{name}", "--" + name.replace("_", "-")}
    for call in source.all(cst.Call, called("add_argument", "add_option", "option", "Option")):
        words = [one.value for one in call.args if isinstance(one.value, cst.SimpleString)]
        if any(word.evaluated_value in flags for word in words):
            default = argument(call, "default")
            if default is not None:
                yield default.value
    yield from _given_by_callers(source, name)
    yield from _assigned(source, name, None)
    for node in source.all(cst.Assign):
        target = node.targets[0].target
        if isinstance(target, cst.Attribute) and target.attr.value == name:
            yield from [node.value] if number(node.value) is not None else []


def _of_key(source: Source, given: cst.Subscript) -> Iterator[cst.BaseExpression]:
    """Of `config["lr"]`: the value in a dictionary of the file."""
    index = given.slice[0].slice
    key = index.value if isinstance(index, cst.Index) else None
    if not isinstance(key, cst.SimpleString):
        return
    for element in source.all(cst.DictElement):
        word = element.key
        if isinstance(word, cst.SimpleString) and word.evaluated_value == key.evaluated_value:
            yield element.value
