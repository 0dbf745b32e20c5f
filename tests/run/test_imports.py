from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from paramedic.run.imports import AfterImport
from tests.run.support import script


def test_called_once_right_after_the_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, "value = 1", "some_package_of_a_test.py")
    monkeypatch.syspath_prepend(tmp_path)
    seen: list[int] = []
    waiting = AfterImport(
        "some_package_of_a_test",
        lambda: seen.append(sys.modules["some_package_of_a_test"].value),
    )
    waiting.install()
    assert seen == []
    module = importlib.import_module("some_package_of_a_test")
    assert seen == [1]
    assert waiting not in sys.meta_path
    assert "exec_module" not in vars(module.__loader__)  # nothing of ours is left
    importlib.reload(module)
    assert seen == [1]


def test_called_at_once_for_what_is_there() -> None:
    seen: list[int] = []
    AfterImport("sys", lambda: seen.append(1)).install()
    assert seen == [1]


def test_it_can_be_called_off() -> None:
    waiting = AfterImport("nothing_of_this_name", lambda: None)
    waiting.install()
    waiting.remove()
    waiting.remove()
    assert waiting not in sys.meta_path
