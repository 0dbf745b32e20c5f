"""What the user is told, and where."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import paramedic
from paramedic.diagnose.conclusion import Conclusion
from paramedic.diagnose.condition import Condition
from paramedic.diagnose.summary import Summary
from paramedic.diagnose.verdict import Assessment
from paramedic.probe import ranks
from paramedic.probe.teller import Teller
from paramedic.types import Finding, Remedy, Severity, Verdict

FINDING = Finding("X001", "high-loss", Severity.WARNING, 0.9, "The loss is high.", 5)
NOTE = Finding("X002", "a-note", Severity.INFO, 0.9, "By the way.", 6)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_findings_and_their_remedies(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    teller = Teller(tmp_path / "run.jsonl")
    with caplog.at_level(logging.INFO, "paramedic"):
        teller.finding(FINDING, [Remedy("halve", "Halve the rate", 0.8, action="scale-rate")])
        teller.finding(NOTE, [])
        assert not caplog.records  # evidence goes to the log alone
        teller.announce(FINDING)
    assert teller.journal is not None
    teller.journal.close()
    assert [record.getMessage() for record in caplog.records] == [
        "high-loss (X001): The loss is high."
    ]
    found, remedy, note = _lines(tmp_path / "run.jsonl")
    assert (found["kind"], found["slug"], found["step"]) == ("finding", "high-loss", 5)
    assert found["worth"] == "suspicion"
    assert (remedy["kind"], remedy["finding"], remedy["action"]) == (
        "remedy", "high-loss", "scale-rate",
    )  # fmt: skip
    assert note["slug"] == "a-note"


def test_other_ranks_are_silent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "rank", lambda: 1)
    with caplog.at_level(logging.INFO, "paramedic"):
        Teller(tmp_path / "run.jsonl").finding(FINDING, [])
    assert not caplog.records
    assert not (tmp_path / "run.jsonl").exists()


def test_a_run_from_start_to_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    log = tmp_path / "run.jsonl"
    with (
        caplog.at_level(logging.INFO, "paramedic"),
        paramedic.watch(model, optimizer, log=log, strict=True, rules=None) as monitor,
    ):
        for epoch in range(3):
            for _ in range(10):
                optimizer.zero_grad()
                F.mse_loss(model(torch.randn(8, 3)), torch.zeros(8, 1)).backward()
                optimizer.step()
            monitor.epoch(val_loss=1.0 / (epoch + 1))
            assert monitor.verdict in (Verdict.TOO_EARLY, Verdict.LEARNING)
            assert str(monitor.condition).startswith(f"{monitor.verdict}; ")
    lines = [line for line in _lines(log) if line["kind"] != "finding"]
    assert [line["kind"] for line in lines] == ["start", "epoch", "epoch", "epoch", "end"]
    assert [line["values"] for line in lines[1:3]] == [{"val_loss": 1.0}, {"val_loss": 0.5}]
    assert lines[-1]["step"] == 29
    assert lines[-1]["verdict"] == monitor.verdict
    messages = [record.getMessage() for record in caplog.records]
    assert sum(message.startswith("Epoch ") for message in messages) == 3
    assert messages[-1].startswith(f"The end. Epoch 2, step 29: {monitor.verdict};")


def test_the_end_of_a_run_that_does_not_learn_is_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    failed = Conclusion(Assessment(Verdict.NOT_LEARNING, "the loss is no lower than at first"))
    summary = Summary(9, Condition(Verdict.NOT_LEARNING, "the loss is level"), (), (), ())
    with caplog.at_level(logging.INFO, "paramedic"):
        Teller(None).end(summary, failed)
    (only,) = caplog.records
    assert only.levelno == logging.WARNING
    assert "not learning: the loss is no lower than at first." in only.getMessage()


def test_a_log_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with paramedic.watch(model, optimizer, log=blocked / "run.jsonl") as monitor:
        assert "not written" in monitor.not_checked["log"]


def test_nobody_sums_up_an_epoch_for_nobody() -> None:
    def summarize() -> Summary:
        raise AssertionError("nobody listens")

    assert not logging.getLogger("paramedic").isEnabledFor(logging.INFO)
    Teller(None).epoch(summarize)
