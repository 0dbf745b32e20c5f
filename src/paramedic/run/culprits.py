"""Lines that are the likely cause of a finding, found in the source of the user's files.

Calls such as `.detach()`, `F.softmax` or `init.normal_` leave nothing behind that could be asked
where it was made, and watching them would cost time at every step. So their lines are looked for
when something is reported: in `forward`, and in the code that leads to the backward pass.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from paramedic.run.places import Place
from paramedic.types import Finding

_LARGEST = 2**20  # bytes of a file that is read
_MOST = 3  # lines of one finding
_FORWARD = ("forward", "__call__", "training_step", "compute_loss")
_AWAY = ("item", "cpu", "numpy", "tolist")  # what is asked for this is shown, not learned from
_SHOWS = ("print", "append", "log", "add_scalar", "update", "write", "info", "float")
_WRITES = ("fill_", "zero_", "normal_", "uniform_", "mul_", "copy_", "add_")
_GUARDED = {"Log": ("log", "log2", "log10", "log1p"), "Sqrt": ("sqrt",), "Exp": ("exp",),
            "Pow": ("pow",), "Acos": ("acos",), "Norm": ("norm",)}  # fmt: skip
_OPERATION = re.compile(r"\((\w+?)\d*\)")  # of a message about a value that is not finite

Test = Callable[[ast.AST], bool]


@dataclass(frozen=True, slots=True)
class _Spot:
    """A node, the function around it (empty at the top of the file), where that begins, and
    whether its value is only shown or counted."""

    node: ast.AST
    line: int
    function: str
    begin: int
    shown: bool


def culprits(
    finding: Finding, layers: Mapping[str, Place], places: Mapping[str, Place]
) -> list[Place]:
    """The lines to look at before all others; none where nothing in the source stands out."""
    search = _SEARCHES.get(finding.slug)
    tests = () if search is None else search(finding)
    files = list(dict.fromkeys(place.file for place in (*places.values(), *layers.values())))
    for test, anywhere in tests:
        found = [
            Place(file, spot.line, spot.function)
            for file in files
            for spot in _spots(file)
            if test(spot.node)
            and not spot.shown
            and (anywhere or _is_on_the_way(spot, file, places))
        ]
        if found:
            return list(dict.fromkeys(found))[:_MOST]
    return []


def _is_on_the_way(spot: _Spot, file: str, places: Mapping[str, Place]) -> bool:
    """Whether a line is part of the forward pass, or of the code between it and `backward`."""
    if spot.function in _FORWARD:
        return True
    for place in (places[name] for name in ("model", "loss", "backward") if name in places):
        if place.file == file and _home(file, place.line) == (spot.function, spot.begin):
            end = places.get("backward", place)
            return end.file != file or spot.line <= max(end.line, place.line)
    return False


def _home(file: str, line: int) -> tuple[str, int]:
    """The function that a line is in."""
    around = [spot for spot in _spots(file) if spot.line <= line <= _end(spot.node)]
    innermost = max(around, key=lambda spot: spot.begin, default=None)
    return ("", 0) if innermost is None else (innermost.function, innermost.begin)


def _end(node: ast.AST) -> int:
    return int(getattr(node, "end_lineno", 0) or 0)


# -- the source ------------------------------------------------------------------------------


def _spots(file: str) -> tuple[_Spot, ...]:
    try:
        status = os.stat(file)
    except OSError:
        return ()
    return _parsed(file, status.st_mtime_ns) if status.st_size <= _LARGEST else ()


@lru_cache(maxsize=64)
def _parsed(file: str, changed: int) -> tuple[_Spot, ...]:
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(sorted(_walk(tree, "", 0), key=lambda spot: spot.line))


def _walk(node: ast.AST, function: str, begin: int, shown: bool = False) -> Iterator[_Spot]:
    for child in ast.iter_child_nodes(node):
        line = getattr(child, "lineno", 0)
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _walk(child, child.name, line)
            continue
        if line:
            yield _Spot(child, _named_at(child), function, begin, shown)
        yield from _walk(child, function, begin, shown or _shows(child))


def _shows(node: ast.AST) -> bool:
    """Whether what is inside is printed, logged or added up."""
    if isinstance(node, ast.Attribute):
        return node.attr in _AWAY
    return isinstance(node, ast.AugAssign) or _called(node) in _SHOWS


def _named_at(node: ast.AST) -> int:
    """The line of the name that is called: of a chain over several lines the last."""
    if isinstance(node, ast.Call):
        return _named_at(node.func)
    if isinstance(node, ast.Attribute):
        return _end(node)
    return int(getattr(node, "lineno", 0))


# -- what to look for ------------------------------------------------------------------------


def _called(node: ast.AST) -> str:
    """The last part of the name of what is called: `softmax` of `F.softmax(x)`."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _calls(*names: str) -> Test:
    return lambda node: _called(node) in names


def _cuts(node: ast.AST) -> bool:
    """`.detach()` and `.data` of what goes on to be computed with."""
    return _called(node) in ("detach", "detach_") or _is_data(node)


def _is_data(node: ast.AST) -> bool:
    loads = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    return loads and node.attr == "data"  # type: ignore[attr-defined]


def _switches_off(node: ast.AST) -> bool:
    """`with torch.no_grad():`."""
    if not isinstance(node, ast.With):
        return False
    entered = [_called(item.context_expr) for item in node.items]
    return any(name in ("no_grad", "inference_mode") for name in entered)


def _freezes(node: ast.AST) -> bool:
    """`x.requires_grad = False` and `x.requires_grad_(False)`."""
    if isinstance(node, ast.Assign):
        aims = [one.attr for one in node.targets if isinstance(one, ast.Attribute)]
        return "requires_grad" in aims and _is_false(node.value)
    return _called(node) == "requires_grad_" and any(map(_is_false, getattr(node, "args", ())))


def _is_false(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _initialises(node: ast.AST) -> bool:
    """`nn.init.normal_(…)`, and `weight.data.fill_(…)` and the like."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    owner = node.func.value
    last = getattr(owner, "attr", getattr(owner, "id", ""))
    if last == "init":
        return True
    return node.func.attr in _WRITES and last in ("data", "weight", "bias")


def _detached(finding: Finding) -> list[tuple[Test, bool]]:
    if finding.evidence.get("reason") != "gradient":
        return []
    return [(_cuts, False), (_switches_off, False), (_freezes, True)]


def _output(finding: Finding) -> list[tuple[Test, bool]]:
    function = str(finding.evidence.get("output_function", ""))
    names = {function, function.replace("-", "_")} - {"", "linear"}
    return [(_calls(*names), False)] if names else []


def _initial(finding: Finding) -> list[tuple[Test, bool]]:
    return [(_initialises, True)]


def _scales(node: ast.AST) -> bool:
    """A normalisation of the inputs, right or wrong."""
    return _called(node) in ("Normalize", "normalize", "StandardScaler", "MinMaxScaler")


def _inputs(finding: Finding) -> list[tuple[Test, bool]]:
    return [(_scales, True)]


def _non_finite(finding: Finding) -> list[tuple[Test, bool]]:
    if finding.evidence.get("origin") not in ("loss", "module"):
        return []
    operation = _OPERATION.search(finding.message)
    names = _GUARDED.get(operation.group(1), ()) if operation is not None else ()
    return [(_calls(*names), False)] if names else []


_SEARCHES: Mapping[str, Callable[[Finding], list[tuple[Test, bool]]]] = {
    "untrained-parameters": _detached,
    "improper-output-activation": _output,
    "poor-initialization": _initial,
    "abnormal-data": _inputs,
    "non-finite": _non_finite,
}
