from __future__ import annotations

import importlib
import importlib.util
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


def test_asking_for_the_spec_is_no_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `datasets`, `evaluate`, `transformers` and `peft` do to see whether torch is there."""
    script(tmp_path, "value = 1", "some_probed_package.py")
    monkeypatch.syspath_prepend(tmp_path)
    seen: list[int] = []
    waiting = AfterImport("some_probed_package", lambda: seen.append(1))
    waiting.install()
    assert importlib.util.find_spec("some_probed_package") is not None
    assert importlib.util.find_spec("some_probed_package") is not None
    assert seen == []
    module = importlib.import_module("some_probed_package")
    assert seen == [1]
    assert waiting not in sys.meta_path
    assert "exec_module" not in vars(module.__loader__)


def test_an_import_that_fails_is_waited_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = script(tmp_path, "raise ImportError", "some_failing_package.py")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    seen: list[int] = []
    waiting = AfterImport("some_failing_package", lambda: seen.append(1))
    waiting.install()
    with pytest.raises(ImportError):
        importlib.import_module("some_failing_package")
    assert seen == []
    path.write_text("value = 1")
    importlib.import_module("some_failing_package")
    assert seen == [1]


def test_nothing_is_left_in_loaders_when_it_is_called_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, "value = 1", "some_unused_package.py")
    monkeypatch.syspath_prepend(tmp_path)
    waiting = AfterImport("some_unused_package", lambda: None)
    waiting.install()
    spec = importlib.util.find_spec("some_unused_package")
    waiting.remove()
    assert spec is not None
    assert "exec_module" not in vars(spec.loader)
