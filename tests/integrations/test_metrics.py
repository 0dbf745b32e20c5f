from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from paramedic.integrations.metrics import epoch_numbers, numbers, page_of, words
from paramedic.types import Chart, Epoch, Finding, Frame, Layer, Remedy, Severity
from tests.integrations.runs import watched

CHART = Chart(layers=(Layer("net.0", "Linear", 4), Layer("", "ReLU"), Layer("late", "Linear")))
FRAME = Frame(
    7, "full",
    {"loss": 0.5, "grad_norm": math.inf, "lr/0": 0.1, "lr/1": 0.2, "input_min": -1.0},
    {"grad_norm": np.array([1.0, math.nan], np.float32), "act_dead": np.array([0.0, 0.5])},
)  # fmt: skip


def test_names_have_slashes_and_only_what_was_measured_is_there() -> None:
    assert numbers(FRAME, CHART) == {
        "paramedic/loss": 0.5,
        "paramedic/lr/0": 0.1,
        "paramedic/lr/1": 0.2,
        "paramedic/layers/grad_norm/net.0": 1.0,
        "paramedic/layers/act_dead/net.0": 0.0,
        "paramedic/layers/act_dead/ReLU": 0.5,
    }
    assert not any("layers" in name for name in numbers(FRAME, CHART, layers=()))
    values = {"val_loss": 0.5, "bleu": math.nan}
    assert epoch_numbers(Epoch(1, 9, values)) == {"paramedic/epoch/val_loss": 0.5}


def test_a_finding_in_words() -> None:
    finding = Finding("G001", "vanishing", Severity.WARNING, 0.9, "Small.", 5, ("net.0",))
    remedies = [Remedy("r", "Use ReLU", 0.8, code="nn.ReLU()"), Remedy("s", "Wait", 0.1)]
    assert words(finding, remedies) == (
        "**vanishing** (G001, warning, 90 % sure, step 5): Small.\n\nWhere: `net.0`\n\n"
        "- Use ReLU (80 %): `nn.ReLU()`\n\n- Wait (10 %)"
    )


def test_the_page_is_written_if_it_is_not_there(tmp_path: Path) -> None:
    class Nobody:
        def __getattr__(self, name: str) -> Any:
            return lambda *args: None

    monitor = watched(Nobody(), trace=tmp_path / "run.db")
    page = page_of(monitor.trace)
    assert page == tmp_path / "run.html"
    assert "non-finite" in page.read_text()


def test_the_page_beside_a_trace(tmp_path: Path) -> None:
    assert page_of(None) is None
    (tmp_path / "run.html").write_text("a page that is there is not written again")
    assert page_of(tmp_path / "run.db") == tmp_path / "run.html"
    assert "is there" in (tmp_path / "run.html").read_text()
