from __future__ import annotations

import json
from pathlib import Path

import pytest

import paramedic
from paramedic.diagnose import rules
from paramedic.diagnose.engine import Engine
from paramedic.diagnose.replay import replay
from paramedic.diagnose.rules import RuleError
from paramedic.trace import TraceError, Writer
from paramedic.types import Chart, Epoch, Frame
from tests.cli.conftest import HighLoss, Validated


@pytest.fixture(autouse=True)
def _rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "_default", lambda: (HighLoss, Validated))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Forty steps; the loss is high from step 20 to 29."""
    writer = Writer(tmp_path / "run.db")
    writer.chart(Chart())
    for step in range(120):
        loss = 11.0 if 20 <= step < 30 else 1.0
        writer.pulse(step, loss, True, False)
        writer.frame(Frame(step, "vitals", {"loss": loss}, {}))
        if step % 10 == 9:
            writer.epoch(Epoch(step // 10, step, {"val_loss": loss}))
    writer.close()
    return tmp_path / "run.db"


def test_a_verdict(run: Path) -> None:
    verdict = replay(run)
    assert (verdict.run, verdict.rules) == (str(run), "default")
    assert (verdict.frames, verdict.last_step) == (120, 119)
    assert [finding.slug for finding in verdict.findings] == ["high-loss"]
    (case,) = verdict.cases
    assert 20 <= case.opened <= 22
    assert case.closed is not None
    assert verdict.diagnosis.not_checked == {"validated": "act_var: not measured"}


def test_the_public_verb_judges_alike(run: Path) -> None:
    assert paramedic.replay(run).diagnosis == replay(run).diagnosis


def test_the_same_run_gives_the_same_verdict(run: Path) -> None:
    assert replay(run).to_json() == replay(run).to_json()


def test_thresholds_choice_and_rule_set(run: Path) -> None:
    assert replay(run, L901={"level": 12.0}).findings == ()
    assert replay(run, thresholds={"high-loss": {"level": 12.0}}).findings == ()
    assert replay(run, ignore=["L"]).findings == ()
    assert replay(run, select=["high-loss"]).diagnosis.not_checked == {}
    assert replay(run, "autotrainer").rules == "autotrainer"


def test_the_trace_is_left_as_it_was(run: Path) -> None:
    before = run.read_bytes()
    replay(run)
    assert run.read_bytes() == before


def test_json(run: Path) -> None:
    data = json.loads(json.dumps(replay(run).to_json()))
    assert data["diagnosis"]["root"]["evidence"] == {"loss": 11.0, "threshold": 10.0}
    assert data["cases"][0]["slug"] == "high-loss"
    assert (data["frames"], data["last_step"]) == (120, 119)


def test_mistakes_are_told_before_the_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(RuleError):
        replay(tmp_path / "no.db", "no-such-rules")
    with pytest.raises(TraceError, match=r"no\.db"):
        replay(tmp_path / "no.db")


def test_an_empty_trace(tmp_path: Path) -> None:
    Writer(tmp_path / "run.db").close()
    verdict = replay(tmp_path / "run.db", select=["T901"])
    assert (verdict.frames, verdict.last_step, verdict.findings) == (0, -1, ())


def test_a_replay_says_what_was_said_live(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, trace=tmp_path / "run.db", overhead=None) as monitor:
        for step in range(60):
            optimizer.zero_grad()
            height = 20.0 if step > 30 else 0.0
            (height + model(torch.randn(4, 3)).square().mean()).backward()
            optimizer.step()
            if step % 20 == 19:
                monitor.epoch(val_loss=1.0)
    engine = monitor._recorder.engine
    assert isinstance(engine, Engine)
    verdict = replay(tmp_path / "run.db")
    assert [case.to_json() for case in verdict.cases] == [case.to_json() for case in engine.cases]
    assert verdict.findings
