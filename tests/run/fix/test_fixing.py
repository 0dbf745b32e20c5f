from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from paramedic.run.fix import fixing
from paramedic.run.fix.fixing import Budget, Fix, budget, candidates, fix, told
from paramedic.run.fix.patch import Patch
from paramedic.run.fix.trial import Trial
from paramedic.run.outcome import Outcome, Verified
from paramedic.run.program import Program
from tests.run.support import script, under_watch
from tests.run.test_outcome import FAILED, REMEDY

SLOW = """
import pathlib
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x @ torch.randn(8)).sign().add(1).div(2).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=1e-5)
for step in range(150):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
pathlib.Path("result.txt").write_text(str(loss.item()))
"""


def test_a_patch_that_was_really_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a copy: neither the script nor what it writes is touched by the trial."""
    monkeypatch.chdir(tmp_path)
    path = script(tmp_path, SLOW)
    seen = under_watch(path)
    (tmp_path / "result.txt").write_text("mine")
    assert seen.root == "learning-rate-too-low"
    said: list[str] = []
    found = fix(seen.outcome, Program("train.py"), Budget(), said.append, verify=True)
    assert found.verified
    assert found.patch is not None
    assert "+opt = torch.optim.SGD(model.parameters(), lr=" in found.patch.diff()
    assert path.read_text() == found.patch.before
    assert (tmp_path / "result.txt").read_text() == "mine"
    report = told(seen.outcome, found).to_json()
    remedy = report["trainings"][0]["findings"][0]["remedies"][0]
    assert remedy["diff"] == found.patch.diff()
    assert remedy["verified"]["after"] < remedy["verified"]["before"]
    assert {name: len(curve) for name, curve in remedy["verified"]["curves"].items()} == {
        "before": 60, "after": 60
    }  # fmt: skip
    assert "learning-rate-too-low is gone" in said[-1]


def _three(
    monkeypatch: pytest.MonkeyPatch, *trials: tuple[bool, float], sure: Sequence[float] = ()
) -> Fix:
    """What `fix` makes of trials with these results, of remedies we are as sure of."""
    confidences = sure or [REMEDY.confidence] * len(trials)
    patches = [
        Patch(replace(REMEDY, confidence=confidence), Path("t.py"), "", str(place))
        for place, confidence in enumerate(confidences)
    ]
    results = iter(trials)

    def attempt(patch: Patch, *args: object, **kwargs: object) -> Trial:
        verified, after = next(results)
        return Trial(patch, verified, "", Verified("val_loss", 1.0, after, 10))

    monkeypatch.setattr(fixing, "candidates", lambda *_: [(FAILED, "x", one) for one in patches])
    monkeypatch.setattr(fixing, "attempt", attempt)
    return fix(Outcome("t"), Program("t.py"), Budget(), lambda _: None, verify=True)


def test_a_try_is_as_long_as_the_original(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    def attempt(patch: Patch, *args: object, steps: object, **kwargs: object) -> Trial:
        given.append(steps)
        return Trial(patch, False, "")

    patch = Patch(REMEDY, Path("t.py"), "", "x")
    monkeypatch.setattr(fixing, "candidates", lambda *_: [(FAILED, "x", patch)])
    monkeypatch.setattr(fixing, "attempt", attempt)
    for outcome, limit in (
        (Outcome("t"), Budget()),
        (Outcome("t"), Budget(steps=100)),
        (Outcome("t", stopped="early"), Budget()),
    ):
        fix(outcome, Program("t.py"), limit, lambda _: None, verify=True)
    assert given == [None, 100, 300]


def test_the_first_that_convinces_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _three(monkeypatch, (False, 0.1), (True, 0.5), (True, 0.1))
    assert found.patch is not None
    assert (found.patch.after, len(found.trials)) == ("1", 2)


def test_one_that_we_are_surer_of_is_tried_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    sure = (0.7, 0.6, 0.9, 0.8)
    found = _three(monkeypatch, (True, 0.5), (True, 0.3), sure=sure)
    assert [trial.patch.after for trial in found.trials] == ["0", "2"]
    assert found.patch is not None
    assert found.patch.after == "2"
    found = _three(monkeypatch, (True, 0.3), (True, 0.5), sure=sure)
    assert found.patch is not None
    assert found.patch.after == "0"


def test_else_the_best_that_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _three(monkeypatch, (True, 0.99), (True, 0.95), (False, 0.1))
    assert found.patch is not None
    assert found.patch.after == "1"


def test_else_none(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _three(monkeypatch, (False, 0.5), (False, 0.1))
    assert (found.patch, found.verified) == (None, False)
    assert told(Outcome("t"), found) == Outcome("t")


def test_what_cannot_be_patched_is_left_alone(tmp_path: Path) -> None:
    gone = replace(
        FAILED, places={k: replace(p, file="/gone.py") for k, p in FAILED.places.items()}
    )
    assert list(candidates(Outcome("t", (gone,)), Program("t.py"))) == []


def test_budgets() -> None:
    assert budget(None) == Budget()
    assert budget("500").steps == 500
    assert budget("60s").seconds == 60
    with pytest.raises(ValueError, match=r"steps \(500\) or seconds \(60s\) but got `much`"):
        budget("much")
