"""Detectors of other people: found by their entry point, and kept from doing harm."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paramedic.cli.main import app
from paramedic.diagnose import rules as module
from paramedic.diagnose.replay import replay
from paramedic.diagnose.rules import GROUP, RuleError, find, rules
from paramedic.trace import Writer
from paramedic.types import Chart, Frame
from tests.diagnose.scripted import PAGE

HEAD = f'''
import time
from dataclasses import dataclass
from paramedic import Detector
from paramedic.diagnose import engine
from paramedic.diagnose.detector import threshold

PAGE = """{PAGE}"""
'''
BODY = """
@dataclass(frozen=True, slots=True)
class {name}(Detector):
    __doc__ = PAGE
    code = "{code}"
    slug = "{slug}"
    patience = 1
    step: int = threshold(3, "the step from which it is there", source="a test")

    def examine(self, window):
        {examine}
"""
FINDS = """if window.last_step < self.step:
            return None
        return self.finding(window, "Theirs.", confidence=0.6, step=window.last_step)"""
RAISES = "raise RuntimeError('their mistake')"
RUBBISH = "return 42"
SLOW = """end = time.thread_time() + 2 * engine.SLOW
        while time.thread_time() < end:
            pass"""
BAD = {"X902": RAISES, "X903": RUBBISH, "X904": SLOW}

Install = Callable[..., Path]


def detector(code: str, examine: str) -> str:
    name = f"Theirs{code}"
    return BODY.format(name=name, code=code, slug=name.lower(), examine=examine)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """`install(source)` puts a package with this module and its entry point on the path."""
    names: list[str] = []

    def put(source: str, target: str = "") -> Path:
        site = tmp_path / "site"
        name = f"their_detectors_{tmp_path.name.replace('-', '_')}"
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{name}.py").write_text(HEAD + source)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{GROUP}]\ntheirs = {name}{target}\n")
        monkeypatch.syspath_prepend(site)
        module._default.cache_clear()
        names.append(name)
        return site

    yield put
    monkeypatch.undo()
    for name in names:
        sys.modules.pop(name, None)
    module._default.cache_clear()


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Twenty steps that carry their gradients over."""
    writer = Writer(tmp_path / "run.db")
    writer.chart(Chart())
    for step in range(20):
        writer.pulse(step, 1.0, True, False)
        writer.frame(Frame(step, "vitals", {"loss": 1.0, "grad_carried": 1.0}, {}))
    writer.close()
    return tmp_path / "run.db"


def train(**options: Any) -> Any:
    """Watches a net whose gradients are never cleared; gives the monitor, closed."""
    torch = pytest.importorskip("torch")
    import paramedic

    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    with paramedic.watch(model, optimizer, overhead=None, **options) as monitor:
        for _ in range(20):
            model(torch.randn(8, 3)).square().mean().backward()
            optimizer.step()
    assert monitor.last_step == 19
    return monitor


def slugs(findings: Any) -> set[str]:
    return {finding.slug for finding in findings}


# -- found ---------------------------------------------------------------------------------------


def test_it_is_one_of_the_rules(install: Install) -> None:
    before = rules()
    install(detector("X901", FINDS))
    assert [kind.code for kind in rules() if kind not in before] == ["X901"]
    assert find("theirsx901").code == "X901"


def test_the_entry_point_may_name_a_class(install: Install) -> None:
    install(detector("X901", FINDS) + detector("X905", FINDS), ":TheirsX901")
    assert [kind.code for kind in rules() if kind.code[0] == "X"] == ["X901"]


def test_the_commands_know_it(install: Install, trace: Path) -> None:
    install(detector("X901", FINDS))
    runner = CliRunner(env={"COLUMNS": "150", "NO_COLOR": "1"})
    assert "theirsx901" in runner.invoke(app, ["rules"]).output
    assert "X901" in runner.invoke(app, ["explain", "X901"]).output
    told = runner.invoke(
        app, ["replay", str(trace), "--select", "X901", "--no-config", "-v"]
    ).output
    assert "theirsx901" in told


def test_a_fresh_interpreter_finds_it(install: Install) -> None:
    site = install(detector("X901", FINDS))
    source = str(Path(module.__file__).parents[2])
    command = [sys.executable, "-c", "from paramedic.cli.main import app; app()"]
    done = subprocess.run(
        [*command, "rules", "--json", "-"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), source])},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    (theirs,) = [one for one in json.loads(done.stdout) if one["code"] == "X901"]
    assert theirs["thresholds"]["step"]["default"] == 3


def test_a_replay_asks_it(install: Install, trace: Path) -> None:
    install(detector("X901", FINDS))
    assert slugs(replay(trace).findings) >= {"theirsx901", "missing-zero-grad"}
    assert "theirsx901" not in slugs(replay(trace, X901={"step": 99}).findings)
    assert "theirsx901" not in slugs(replay(trace, ignore=["X901"]).findings)


def test_a_live_run_asks_it(install: Install) -> None:
    install(detector("X901", FINDS))
    assert slugs(train().findings) >= {"theirsx901", "missing-zero-grad"}
    assert "theirsx901" not in slugs(train(thresholds={"X901": {"step": 99}}).findings)


# -- kept from doing harm ------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "examine"), BAD.items(), ids=["raises", "rubbish", "slow"])
def test_a_bad_one_is_told_of_once_and_switched_off(
    code: str, examine: str, install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install(detector("X901", FINDS) + detector(code, examine))
    with caplog.at_level(logging.WARNING, logger="paramedic"):
        monitor = train()
    told = [one for one in caplog.messages if code in one]
    assert len(told) == 1
    assert "switched off" in told[0]
    assert slugs(monitor.findings) >= {"theirsx901", "missing-zero-grad"}
    assert "switched off" in monitor.diagnosis.not_checked[f"theirs{code.lower()}"]


def test_bad_ones_in_a_replay(install: Install, trace: Path) -> None:
    install("".join(detector(code, examine) for code, examine in BAD.items()))
    verdict = replay(trace)
    assert "missing-zero-grad" in slugs(verdict.findings)
    why = verdict.diagnosis.not_checked
    assert "their mistake" in why["theirsx902"]
    assert "42" in why["theirsx903"]
    assert " s for one examination" in why["theirsx904"]


def test_something_else_than_a_detector_is_refused(install: Install) -> None:
    install("thing = 1", ":thing")
    with pytest.raises(RuleError, match=r"entry point `theirs`.*not a Detector"):
        rules()


def test_a_code_that_is_taken_is_refused(install: Install) -> None:
    install(detector(rules()[0].code, FINDS))
    with pytest.raises(RuleError, match="Two detectors have the code"):
        rules()
