"""What is imported is declared, and the extra `all` is enough for the examples."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement

from tests.install.support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
FOR_DEVELOPERS = {"test", "libraries", "docs", "bench"}
# Where the name of a distribution is not that of its module.
MODULES = {"mlflow-skinny": "mlflow", "scikit-learn": "sklearn"}
UNPINNED = {"mlflow-skinny", "trackio"}  # constraints.txt says why
KNOWN = {*sys.stdlib_module_names, "paramedic"}


def _parts(requirements: Iterable[str]) -> Iterator[Requirement]:
    """The requirements, with the extras of ours that they name."""
    for text in requirements:
        one = Requirement(text)
        if one.name == "paramedic":
            yield from _parts(part for extra in one.extras for part in EXTRAS[extra])
        else:
            yield one


def _modules(requirements: Iterable[str]) -> set[str]:
    return {MODULES.get(one.name, one.name) for one in _parts(requirements)}


def _imported(path: Path) -> Iterator[str]:
    """Names of modules in `import` statements and in calls of `require("module", …)`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "require":
            yield from (one.value for one in node.args if isinstance(one, ast.Constant))


def _foreign(*folders: str) -> dict[str, set[str]]:
    """The top-level modules of others that the files of these folders import, by file."""
    found = {}
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        found[str(path.relative_to(ROOT))] = {
            name.split(".")[0] for name in _imported(path)
        } - KNOWN
    return found


def test_everything_that_is_imported_is_declared() -> None:
    extras = [
        part for name, parts in EXTRAS.items() if name not in FOR_DEVELOPERS for part in parts
    ]
    declared = _modules([*PROJECT["dependencies"], *extras])
    missing = {path: names - declared for path, names in _foreign("src").items()}
    assert {path: names for path, names in missing.items() if names} == {}


def test_the_command_line_and_the_pages_need_no_extra() -> None:
    """Other rooms are for the extras that they belong to."""
    core = _modules(PROJECT["dependencies"])
    assert {"numpy", "typer", "rich", "jinja2", "markupsafe", "platformdirs"} <= core
    for path, names in _foreign("src/paramedic/cli", "src/paramedic/diagnose").items():
        assert names - {"torch", "safetensors", "libcst"} <= core, path


def test_all_runs_every_example() -> None:
    given = _modules([*PROJECT["dependencies"], *EXTRAS["all"]])
    missing = {path: names - given for path, names in _foreign("examples").items()}
    assert {path: names for path, names in missing.items() if names} == {}


def test_known_good_versions_are_within_the_bounds() -> None:
    """What is tested is what may be installed."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.lower().split("==") for line in lines if line and not line.startswith("#"))
    wanted = list(
        _parts([*PROJECT["dependencies"], *(one for all_ in EXTRAS.values() for one in all_)])
    )
    outside = [
        str(one) for one in wanted if one.name in pins and pins[one.name] not in one.specifier
    ]
    assert outside == []
    assert {one.name for one in wanted} - set(pins) == UNPINNED


def test_every_bound_excludes_something() -> None:
    """A requirement without a lower bound would allow versions with published advisories."""
    for one in _parts(
        [*PROJECT["dependencies"], *(text for all_ in EXTRAS.values() for text in all_)]
    ):
        assert any(part.operator == ">=" for part in one.specifier), one


def test_the_optuna_of_today_and_the_one_before() -> None:
    (optuna,) = (Requirement(text) for text in EXTRAS["optuna"])
    assert all(version in optuna.specifier for version in ("4.0.0", "4.9.0", "5.0.0"))
