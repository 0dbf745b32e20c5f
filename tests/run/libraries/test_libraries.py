"""Scripts of other libraries, sick and healthy, run as they are.

Install the extra `libraries` for them: `pip install -e '.[libraries]' -c constraints.txt`.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.run.support import Seen, under_watch

# A rate that is sick, what it is called, and the line that is shown for it.
SICK = {
    "accelerate": ("1e-7", "learning-rate-too-low", "torch.optim.AdamW"),
    "skorch": ("1e-7", "learning-rate-too-low", "net.fit(x, y)"),
    "lightning": ("1e-7", "learning-rate-too-low", "torch.optim.Adam"),
    "keras": ("1e-7", "learning-rate-too-low", "keras.optimizers.Adam"),
    "transformers": ("1.0", "learning-rate-too-high", "trainer.train()"),
}


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("KERAS_BACKEND", "torch")  # the script sets it, too: undone afterwards
    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    yield
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)


def _run(library: str, rate: str) -> Seen:
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed: extra `libraries`")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return under_watch(Path(__file__).parent / f"{library}_script.py", rate)


@pytest.mark.parametrize("library", SICK)
def test_a_sick_script(library: str) -> None:
    rate, root, line = SICK[library]
    seen = _run(library, rate)
    assert seen.ending.code == 0, seen.stderr
    assert seen.root == root
    assert line in seen.line()
    assert seen.outcome.records[0].steps == 200


@pytest.mark.parametrize("library", SICK)
def test_a_healthy_script(library: str) -> None:
    seen = _run(library, "3e-3")
    assert seen.ending.code == 0, seen.stderr
    assert seen.verdict == "learning"


def test_a_model_of_keras_is_seen_layer_by_layer() -> None:
    (record,) = _run("keras", "3e-3").outcome.records
    assert [(one.kind, one.parameters) for one in record.chart.layers] == [
        ("Dense", 288), ("Dense", 66)
    ]  # fmt: skip
    assert (record.chart.task, record.chart.loss) == ("multi-class", "cross-entropy")
    assert record.chart.target_kind == "integer"
    assert all(loss == loss for loss in record.losses)
