"""What the libraries log, where they are installed: the methods that are wrapped are there."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from paramedic.probe.guard import Guard
from paramedic.run.logged import SOURCES, Logged, Source
from tests.run.support import under_watch

Seen = list[tuple[str, dict[str, float]]]


@pytest.fixture
def seen() -> Seen:
    return []


@pytest.fixture(autouse=True)
def logged(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> Iterator[Logged]:
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    logged = Logged(Guard(strict=True), lambda source, values: seen.append((source, values)))
    logged.open()
    yield logged
    logged.close()


def _found(home: str) -> Any:
    """A module of a library."""
    library = "tensorboard" if home.startswith("torch.") else home.split(".")[0]
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(home)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.home)
def test_its_method_is_wrapped(source: Source, logged: Logged) -> None:
    owner = getattr(_found(source.home), source.owner)
    wrapped = vars(owner)[source.method]
    assert wrapped.__wrapped__ is not None
    logged.close()
    assert vars(owner)[source.method] is wrapped.__wrapped__


@pytest.mark.parametrize(
    ("home", "library"),
    [("torch.utils.tensorboard.writer", "tensorboard"), ("tensorboardX.writer", "tensorboardX")],
)
def test_tensorboard(home: str, library: str, seen: Seen, tmp_path: Path) -> None:
    writer = _found(home).SummaryWriter(str(tmp_path))
    writer.add_scalar("charts/episodic_return", 21.0, 1)
    writer.add_scalar(tag="losses/value_loss", scalar_value=3.0, global_step=1)
    writer.close()
    assert seen == [(library, {"charts/episodic_return": 21.0})]


def test_accelerate(seen: Seen) -> None:
    _found("accelerate.accelerator").Accelerator(cpu=True).log({"eval_accuracy": 0.5, "loss": 1.0})
    assert seen == [("accelerate", {"eval_accuracy": 0.5})]


def test_wandb(seen: Seen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _found("wandb.sdk.wandb_run")
    import wandb

    monkeypatch.setenv("WANDB_SILENT", "true")
    with wandb.init(mode="offline", dir=str(tmp_path), project="test") as run:
        wandb.log({"reward": 0.5})
        run.log({"val_acc": 0.7, "step": 1})
    assert seen == [("wandb", {"reward": 0.5}), ("wandb", {"val_acc": 0.7})]


def test_a_policy_in_lightning() -> None:
    if find_spec("lightning") is None:
        pytest.skip("lightning is not installed: extra `libraries`")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen = under_watch(Path(__file__).parent / "lightning_policy.py")
    assert seen.ending.code == 0, seen.stderr
    assert seen.verdict == "learning"
    assert seen.outcome.assessment.reason.startswith("val_reward 0.")
