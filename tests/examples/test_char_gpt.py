"""The example runs, says that a sound run learns, and what is wrong with one that does not."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

FILE = Path(__file__).parent.parent.parent / "examples" / "char_gpt.py"
SMALL = ["--steps", "60", "--batch", "8", "--context", "16", "--layers", "1", "--width", "32"]


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("char_gpt", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _the_root_logger_as_it_was() -> Iterator[None]:
    before = list(logging.getLogger().handlers)
    yield
    logging.getLogger().handlers[:] = before


def _run(example: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["char_gpt.py", *SMALL, *arguments])
    example.main()


def test_it_is_short() -> None:
    assert FILE.read_text(encoding="utf-8").count("\n") < 200


def test_a_sound_run_on_a_text_of_ones_own(
    example: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    text, trace = tmp_path / "text.txt", tmp_path / "run.db"
    text.write_text("To be or not to be, that is the question. " * 30, encoding="utf-8")
    _run(example, monkeypatch, "--text", str(text), "--rate", "0.01", "--trace", str(trace))
    told = capsys.readouterr().out
    assert "step    60   loss " in told
    assert "Verdict: learning" in told
    assert trace.exists()


def test_a_sick_run(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(example, monkeypatch, "--inject", "dead-input", "--at", "0")
    told = capsys.readouterr().out
    assert "Verdict: not learning" in told
    assert "dead-input (D004)" in told


def test_a_text_that_is_too_short(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Too short.", encoding="utf-8")
    with pytest.raises(SystemExit, match="10 characters: that is too short"):
        _run(example, monkeypatch, "--text", str(text))


def test_it_sees_only_the_past(example: ModuleType) -> None:
    options = type("Options", (), {**example.DEFAULTS, "dropout": 0.0})()
    model = example.CharGPT(10, options)
    one = torch.randint(10, (1, 12))
    other = one.clone()
    other[0, 8:] = 9 - other[0, 8:]
    torch.testing.assert_close(model(one)[:, :8], model(other)[:, :8])
    assert not torch.equal(model(one)[:, 8:], model(other)[:, 8:])
