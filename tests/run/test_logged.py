"""What programs log, with something in the place of the libraries; `libraries/` has real ones."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from paramedic.probe.guard import Guard
from paramedic.run.logged import SOURCES, Logged, Source
from tests.run.support import plainly, script, under_watch

Seen = list[tuple[str, dict[str, float]]]
EACH = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.home)


class Trainer:
    """Takes what the trainers, trackers and loggers of the libraries take."""

    def __init__(self) -> None:
        self.got: list[Any] = []

    def table(self, *args: Any, **kwargs: Any) -> str:
        """A table, and whatever else."""
        if kwargs.get("fails"):
            raise ValueError("no such tracker")
        self.got.append((args, kwargs))
        return "logged"

    def pair(self, name: str, value: Any, exclude: Any = None, *, more: Any = None) -> str:
        """A name and a value."""
        self.got.append(((name, value), exclude))
        return "logged"


@pytest.fixture
def seen() -> Seen:
    return []


@pytest.fixture
def logged(seen: Seen) -> Iterator[Logged]:
    logged = Logged(Guard(strict=True), lambda source, values: seen.append((source, values)))
    yield logged
    logged.close()


def _library(source: Source, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A class of the name, in a module of the name."""
    method = Trainer.table if source.table else Trainer.pair
    kind = type(source.owner, (Trainer,), {source.method: method})
    module = ModuleType(source.home)
    setattr(module, source.owner, kind)
    monkeypatch.setitem(sys.modules, source.home, module)
    return kind


@EACH
def test_a_library(
    source: Source, monkeypatch: pytest.MonkeyPatch, logged: Logged, seen: Seen
) -> None:
    kind = _library(source, monkeypatch)
    before = vars(kind)[source.method]
    logged.open()
    assert vars(kind)[source.method] is not before
    assert inspect.signature(getattr(kind, source.method)) == inspect.signature(before)
    owner = kind()
    values = {"reward": 1.5, "reward_std": 3.0, "loss": 2.0}
    if source.table:
        assert getattr(owner, source.method)(values, 17) == "logged"
        assert owner.got == [((values, 17), {})]
    else:
        for name, value in values.items():
            assert getattr(owner, source.method)(name, value, exclude="csv") == "logged"
        assert [given for given, _ in owner.got] == list(values.items())
    assert seen == [(source.library, {"reward": 1.5})]
    logged.close()
    assert vars(kind)[source.method] is before


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch, logged: Logged) -> Any:
    kind = _library(SOURCES[0], monkeypatch)
    logged.open()
    return kind()


def test_numbers_of_all_kinds(trainer: Any, seen: Seen) -> None:
    numbers = {
        "reward": np.float32(0.5), "eval_reward": torch.tensor([2.0], requires_grad=True),
        "rewards/mean": 3, "val_acc": np.int64(1),
    }  # fmt: skip
    trainer.log(logs=numbers)
    assert seen == [
        ("transformers", {"reward": 0.5, "eval_reward": 2.0, "rewards/mean": 3.0, "val_acc": 1.0})
    ]


@pytest.mark.parametrize(
    "value",
    ["0.5", None, True, 1j, torch.ones(2), torch.ones(0), torch.tensor(1j),
     torch.empty((), device="meta"), np.ones(1), np.bool_(True), [0.5], {"mean": 0.5}, object()],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_no_number(trainer: Any, seen: Seen, value: Any) -> None:
    trainer.log({"reward": value, 7: 0.5})
    trainer.log("reward")
    trainer.log()
    assert seen == []
    assert len(trainer.got) == 3


def test_its_errors_are_its_own(trainer: Any, seen: Seen) -> None:
    with pytest.raises(ValueError, match="no such tracker"):
        trainer.log({"reward": 1.0}, fails=True)
    assert seen == []


def test_ours_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    kind, guard = _library(SOURCES[0], monkeypatch), Guard(strict=False)

    def fail(source: str, values: dict[str, float]) -> None:
        raise RuntimeError("spilt")

    logged = Logged(guard, fail)
    logged.open()
    assert kind().log({"reward": 1.0}) == "logged"
    assert kind().log({"reward": 1.0}) == "logged"
    assert guard.disabled == {"metrics": "RuntimeError: spilt"}
    logged.close()


def test_a_library_that_has_changed(monkeypatch: pytest.MonkeyPatch, logged: Logged) -> None:
    monkeypatch.setitem(sys.modules, SOURCES[0].home, ModuleType(SOURCES[0].home))
    logged.open()


# -- in a program ----------------------------------------------------------------------------

LOGGER = """
class Logger:
    def __init__(self): self.rows = []
    def record(self, key, value, exclude=None): self.rows.append((key, value))
"""
BANDIT = """
import sys
import torch
from stable_baselines3.common.logger import Logger

good, name = sys.argv[1:]
torch.manual_seed(0)
policy = torch.nn.Linear(4, 4)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.03)
logger = Logger()
for step in range(200):
    states = torch.eye(4)[torch.randint(4, (32,))]
    chosen = torch.distributions.Categorical(logits=policy(states))
    actions = chosen.sample()
    rewards = (actions == states.argmax(1)).float() if good == "good" else torch.rand(32)
    loss = -(chosen.log_prob(actions) * (rewards - rewards.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        logger.record(name, rewards.mean().item())
print(len(logger.rows), logger.rows[-1])
"""


@pytest.fixture
def bandit(tmp_path: Path) -> Iterator[Path]:
    """A policy gradient, and a library that it logs with."""
    package = tmp_path / "stable_baselines3" / "common"
    package.mkdir(parents=True)
    for folder in (package, package.parent):  # else the real one would come first
        (folder / "__init__.py").touch()
    (package / "logger.py").write_text(LOGGER)
    before = set(sys.modules)
    yield script(tmp_path, BANDIT)
    for name in set(sys.modules) - before:
        if name.startswith("stable_baselines3"):
            del sys.modules[name]


def test_a_policy_is_judged_by_the_reward_that_is_logged(bandit: Path) -> None:
    seen = under_watch(bandit, "good", "rollout/ep_rew_mean")
    assert seen.verdict == "learning"
    found = seen.outcome.assessment
    assert found.reason == "rollout/ep_rew_mean 0.4141 at first, 0.9844 at the end"
    assert found.numbers["rollout/ep_rew_mean at the end"] == pytest.approx(0.9844, abs=1e-4)


def test_one_whose_reward_stays_is_not_called_sick(bandit: Path) -> None:
    seen = under_watch(bandit, "bad", "rollout/ep_rew_mean")
    assert seen.verdict == "cannot tell"
    assert "not clearly better than at first: rollout/ep_rew_mean 0.5" in (
        seen.outcome.assessment.reason
    )


def test_a_name_that_says_nothing_is_not_used(bandit: Path) -> None:
    seen = under_watch(bandit, "good", "rollout/progress")
    assert seen.verdict == "cannot tell"
    assert "progress" not in seen.outcome.assessment.reason.replace("does not measure progress", "")


def test_the_program_is_not_disturbed(bandit: Path) -> None:
    alone = plainly(bandit, "good", "reward")
    watched = under_watch(bandit, "good", "reward")
    assert watched.stdout == alone.stdout
    assert torch.equal(watched.randomness, alone.randomness)
    for one, other in zip(watched.weights, alone.weights, strict=True):
        assert torch.equal(one, other)
    logger = sys.modules["stable_baselines3.common.logger"].Logger  # type: ignore[attr-defined]
    assert not hasattr(logger.record, "__wrapped__")


KERAS = """
class History:
    def on_epoch_end(self, epoch, logs=None): pass
"""
CLASSES = """
import sys
import torch
from keras.src.callbacks.history import History

torch.manual_seed(0)
x = torch.randn(512, 4)
y = (x.sum(1) > 0).long()
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = torch.nn.CrossEntropyLoss()
history = History()
history.on_epoch_end(-1, {"val_accuracy": 0.0})
for epoch in range(6):
    for place in range(0, 384, 32):
        optimizer.zero_grad()
        criterion(model(x[place : place + 32]), y[place : place + 32]).backward()
        optimizer.step()
    with torch.no_grad():  # nobody can see which of these are the labels
        right = (model(x[384:]).argmax(1) == y[384:]).float().mean().item()
    history.on_epoch_end(epoch, {"loss": 0.5, "val_accuracy": right, "val_auc": 0.1})
    print(right)
"""


def test_a_validation_that_is_only_logged_ends_an_epoch(tmp_path: Path) -> None:
    package = tmp_path / "keras" / "src" / "callbacks"
    package.mkdir(parents=True)
    for folder in (package, *package.parents[:2]):  # else the real one would come first
        (folder / "__init__.py").touch()
    (package / "history.py").write_text(KERAS)
    hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_keras(name)}
    try:
        seen = under_watch(script(tmp_path, CLASSES))
    finally:
        for name in [name for name in sys.modules if _is_keras(name)]:
            del sys.modules[name]
        sys.modules.update(hidden)
    (record,) = seen.outcome.records
    printed = [float(line) for line in seen.stdout.splitlines()]
    assert [epoch.values["val_acc"] for epoch in record.epochs] == printed
    assert [epoch.step for epoch in record.epochs] == [11, 23, 35, 47, 59, 71]
    assert seen.outcome.assessment.reason.startswith("validation accuracy 0.")


def _is_keras(name: str) -> bool:
    return name.split(".")[0] == "keras"
