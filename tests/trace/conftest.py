"""What the tests of the trace share: small frames, a chart, and a second Python process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import paramedic.types
from paramedic.trace import Writer, store
from paramedic.types import Chart, Frame, Layer, Window

MakeFrame = Callable[..., Frame]


def _frame(
    step: int,
    level: str = "vitals",
    names: tuple[str, ...] = ("grad_norm", "grad_nonfinite"),
    width: int = 3,
    **scalars: float,
) -> Frame:
    values = {"loss": step / 7, "loss_finite": 1.0, **scalars}
    row = np.arange(width, dtype=np.float32) + np.float32(step)
    layers = {name: row * np.float32(index + 1) for index, name in enumerate(names)}
    return Frame(step, level, values, layers)


@pytest.fixture(scope="session")
def make_frame() -> MakeFrame:
    """`make_frame(step, level, names, width, **scalars)`, with numbers that depend on the step."""
    return _frame


@pytest.fixture(scope="session")
def chart() -> Chart:
    layers = tuple(Layer(f"layer{index}", "Linear", 12, order=index) for index in range(3))
    return Chart(layers=layers, loss="CrossEntropyLoss", batch_size=32, versions={"torch": "2.9"})


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the thread that writes may come late; tests of stalls set their own."""
    monkeypatch.setattr(store, "PATIENCE", 10.0)


def _settled(writer: Writer) -> Path:
    assert writer._scribe is not None
    assert writer._scribe.wait(10.0)
    return writer.path


@pytest.fixture(scope="session")
def settled() -> Callable[[Writer], Path]:
    """Waits until what was handed over is in the file."""
    return _settled


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    writer = Writer(tmp_path / "run.db", max_age=1e9)
    yield writer
    writer.close()


@pytest.fixture(scope="session")
def python() -> Callable[..., subprocess.Popen[str]]:
    """`python(script, *args)` starts another interpreter that can import `paramedic`."""
    source = Path(paramedic.types.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(source)}

    def start(script: str, *args: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", script, *map(str, args)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture(scope="session")
def run_python(python: Callable[..., subprocess.Popen[str]]) -> Callable[..., str]:
    """The same, waited for: gives what the script printed, and fails if the script failed."""

    def run(script: str, *args: object) -> str:
        process = python(script, *args)
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        return output

    return run


def _same_frame(one: Frame, other: Frame) -> bool:
    """Bit for bit, NaN included."""
    return (
        (one.step, one.level) == (other.step, other.level)
        and list(one.scalars) == list(other.scalars)
        and list(one.layers) == list(other.layers)
        and np.array_equal(
            np.array(list(one.scalars.values())),
            np.array(list(other.scalars.values())),
            equal_nan=True,
        )
        and all(one.layers[name].tobytes() == other.layers[name].tobytes() for name in one.layers)
    )


@pytest.fixture(scope="session")
def same_frame() -> Callable[[Frame, Frame], bool]:
    return _same_frame


def _assert_same_window(one: Window, other: Window) -> None:
    assert one.chart == other.chart
    assert (one.epochs, one.events) == (other.epochs, other.events)
    np.testing.assert_array_equal(one.steps, other.steps)
    for name in ("step", "loss", "finite", "skipped"):
        np.testing.assert_array_equal(getattr(one.pulse, name), getattr(other.pulse, name))
    for mine, theirs in ((one.scalars, other.scalars), (one.layers, other.layers)):
        assert set(mine) == set(theirs)
        for name in mine:
            np.testing.assert_array_equal(mine[name], theirs[name], err_msg=name)


@pytest.fixture(scope="session")
def assert_same_window() -> Callable[[Window, Window], None]:
    return _assert_same_window
