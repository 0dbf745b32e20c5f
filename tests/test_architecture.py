"""The shape of the code: arrows point one way, files and functions stay small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "paramedic"

# Each room may import from itself and from the rooms before it, and nothing else of ours. Every
# room may use the words (`types`, `vocabulary`), the version, and the ways to ask for an extra
# and to read a file.
WORDS = {"types", "vocabulary", "version", "optional", "reading"}
ROOMS = [
    "trace", "diagnose", "prescribe", "probe", "treat", "checkup", "inject", "hpo", "experiment",
    "run", "report", "integrations", "cli",
]  # fmt: skip
# What a room must not do although the order would allow it.
FORBIDDEN = {"report": {"probe", "treat", "checkup", "inject"}}
# Third-party packages that a room must not import, not even inside a function.
WITHOUT = {
    "types": {"torch"},
    "vocabulary": {"torch", "numpy"},
    "trace": {"torch"},
    "diagnose": {"torch"},
    "prescribe": {"torch"},
    "report": {"torch"},
}


def _files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def _room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _allowed(room: str) -> set[str]:
    if room in ("__init__", "__main__"):
        return {*ROOMS, *WORDS}
    if room in WORDS:
        return set(WORDS)
    before = set(ROOMS[: ROOMS.index(room) + 1])
    return (before | WORDS) - FORBIDDEN.get(room, set())


@pytest.mark.parametrize("path", _files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_arrows_point_one_way(path: Path) -> None:
    room = _room(path)
    for name in _imports(path):
        if name.startswith("paramedic."):
            target = name.split(".")[1]
            if target == "watch" or target == "__version__":
                continue
            assert target in _allowed(room), f"{room} must not import {name}"
        assert name.split(".")[0] not in WITHOUT.get(room, set()), f"{room} must not import {name}"


def test_every_folder_has_its_place_in_the_order() -> None:
    folders = {
        path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert folders <= set(ROOMS)


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines without the signature and the docstring."""
    body = (
        function.body[1:]
        if ast.get_docstring(function) and len(function.body) > 1
        else function.body
    )
    return (function.end_lineno or 0) - body[0].lineno + 1


def test_functions_are_short_and_files_are_small() -> None:
    lengths = []
    for path in _files():
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 400, f"{path.name} has more than 400 lines"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lengths.append(_length(node))
                assert lengths[-1] <= 60, f"{path.name}: {node.name} has {lengths[-1]} lines"
    lengths.sort()
    assert lengths[int(0.95 * len(lengths))] <= 40


def test_tests_mirror_the_source_tree() -> None:
    """Every module with code has a test file of its name, or a behaviour test that names it."""
    tests = {path.stem.removeprefix("test_") for path in Path(__file__).parent.rglob("test_*.py")}
    missing = []
    for path in _files():
        name = path.parent.name if path.stem == "__init__" else path.stem
        has_code = any(
            isinstance(node, ast.FunctionDef | ast.ClassDef)
            for node in ast.parse(path.read_text(encoding="utf-8")).body
        )
        if has_code and name not in tests:
            missing.append(str(path.relative_to(SOURCE)))
    assert missing == []
