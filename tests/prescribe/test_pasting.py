"""Advice can be pasted: the code of each remedy runs where the sick training ran."""

from __future__ import annotations

import copy
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import paramedic
from paramedic.prescribe.cures import cures
from paramedic.types import Remedy, Window
from tests.prescribe.cases import finding

STEPS = 60


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width), nn.Linear(width, width)])
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = self.act(layer(x))
        return x


class Deep(nn.Module):
    """Parts inside of parts, by names and by numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 12), nn.Sigmoid(), Block(12))
        self.head = nn.Linear(12, 3, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))  # type: ignore[no-any-return]


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(2, 8, num_layers=2, batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x.reshape(-1, 3, 2))[0][:, -1])  # type: ignore[no-any-return]


class Sequences(nn.Module):
    """A linear layer on batches of sequences, whose features come last."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.act, self.last = nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.act(self.first(x.reshape(-1, 3, 2))))  # type: ignore[no-any-return]


def _stack(activation: type[nn.Module], depth: int, *end: nn.Module) -> nn.Sequential:
    hidden = [part for _ in range(depth) for part in (nn.Linear(8, 8), activation())]
    return nn.Sequential(nn.Linear(6, 8), activation(), *hidden, nn.Linear(8, 3), *end)


def _images() -> nn.Sequential:
    convolution = nn.Conv2d(1, 4, 2), nn.ReLU(), nn.Flatten()
    return nn.Sequential(nn.Unflatten(1, (1, 2, 3)), *convolution, nn.Linear(8, 3))


@dataclass(frozen=True)
class Sick:
    """A small training: its net, its loss, its optimizer, and what is wrong with its data."""

    model: Callable[[], nn.Module]
    loss: nn.Module
    rate: float = 0.1
    optimizer: Any = torch.optim.SGD
    inputs: Callable[[Tensor], Tensor] = lambda x: x
    regression: tuple[int, ...] = ()


def _forgetful(parameters: Any, lr: float) -> torch.optim.Optimizer:
    return torch.optim.SGD(list(parameters)[2:], lr=lr)


_BY_EVIDENCE = {"loss-shape-mismatch", "untrained-parameters"}  # nonsense where it is not so
_CE, _MSE = nn.CrossEntropyLoss(), nn.MSELoss()
TRAININGS = {
    "rate-too-high": Sick(lambda: _stack(nn.ReLU, 1), _CE, 30.0),
    "rate-too-high-adam": Sick(lambda: _stack(nn.ReLU, 1), _CE, 3.0, torch.optim.Adam),
    "rate-too-low": Sick(lambda: _stack(nn.ReLU, 1), _CE, 1e-7),
    "vanishing": Sick(lambda: _stack(nn.Sigmoid, 8), _CE, 0.1),
    "saturated": Sick(lambda: _stack(nn.Tanh, 2), _CE, 0.1, inputs=lambda x: 500 * x),
    "softmax-twice": Sick(lambda: _stack(nn.ReLU, 1, nn.Softmax(dim=1)), _CE),
    "forgotten": Sick(lambda: _stack(nn.ReLU, 1), _CE, optimizer=_forgetful),
    "shapes": Sick(
        lambda: nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1), nn.Flatten(0)),
        _MSE,
        regression=(1,),
    ),
    "linear": Sick(lambda: nn.Linear(6, 3), _CE),
    "parts": Sick(Deep, _CE, 5.0, torch.optim.AdamW),
    "convolution": Sick(_images, _CE, 5.0),
    "recurrent": Sick(Recurrent, _CE, 50.0),
    "sequences": Sick(Sequences, _MSE, 10.0, regression=(3, 1)),
    "numbers": Sick(
        lambda: nn.Sequential(nn.Linear(6, 1), nn.Tanh(), nn.Linear(1, 1)), _MSE, regression=(1,)
    ),
}


EXPECTED = {
    "forgotten": "register-parameters", "softmax-twice": "output-activation",
    "shapes": "fix-shape", "rate-too-low": "raise-rate",
}  # fmt: skip


def _batch(sick: Sick) -> tuple[Tensor, Tensor]:
    x = sick.inputs(torch.randn(16, 6))
    y = torch.randn(16, *sick.regression) if sick.regression else torch.randint(0, 3, (16,))
    return x, y


def _train(sick: Sick) -> tuple[nn.Module, Window, tuple[Remedy, ...]]:
    torch.manual_seed(0)
    model = sick.model()
    optimizer = sick.optimizer(model.parameters(), lr=sick.rate)
    untouched = copy.deepcopy(model)
    with paramedic.watch(model, optimizer, overhead=None) as monitor:
        for _ in range(STEPS):
            x, y = _batch(sick)
            optimizer.zero_grad()
            sick.loss(model(x), y).backward()
            optimizer.step()
    return untouched, monitor.window(), monitor.remedies


def _all_doses(window: Window) -> list[tuple[str, str]]:
    """What each cure would say of this run, whatever it has."""
    where = tuple(layer.name for layer in window.chart.layers if layer.parameters)[:2]
    evidence = {
        "output_function": window.chart.output_function, "classes": 3, "fall": 0.1,
        "smallest": 1, "largest": 3, "update_ratio": 0.1, "origin": "loss",
    }  # fmt: skip
    found = []
    for cure in cures():
        for problem in set(cure.against) - _BY_EVIDENCE:
            given = cure.dose(finding(problem, *where, **evidence), window)
            found += [] if given is None else [(f"{cure.slug} against {problem}", given.code)]
    return found


def _paste(code: str, sick: Sick, model: nn.Module) -> dict[str, Any]:
    """Run the code in the loop of a program that has the usual names."""
    model = copy.deepcopy(model)
    x, y = _batch(sick)
    output = model(x)
    optimizer = sick.optimizer(model.parameters(), lr=sick.rate)
    positive = torch.ones(3)
    names: dict[str, Any] = {
        "torch": torch, "nn": nn, "model": model, "optimizer": optimizer, "loss_fn": sick.loss,
        "inputs": x, "targets": y, "output": output, "loss": sick.loss(output, y), "train": x,
        "dataset": [(x[0], y[0])] * 8, "batch_size": 4, "epochs": 3, "step": 0, "usual_loss": 1.0,
        "good_weights": model.state_dict(), "good_state": optimizer.state_dict(),
        "labels": y, "indices": torch.arange(4), "x": positive, "a": positive, "b": positive,
        "p": 2,
    }  # fmt: skip
    body = textwrap.indent(code, "    ")
    looped = f"for epoch in range(1):\n    pass\n{body}\n"
    exec(compile(looped, "<advice>", "exec"), names)  # noqa: S102 - our own advice
    return names


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("name", TRAININGS)
def test_the_code_of_every_remedy_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sick = TRAININGS[name]
    model, window, remedies = _train(sick)
    advised = [(remedy.slug, remedy.code) for remedy in remedies]
    if name in EXPECTED:
        assert EXPECTED[name] in dict(advised)
    for slug, code in [*advised, *_all_doses(window)]:
        try:
            names = _paste(code, sick, model)
            changed = names["model"]
            assert isinstance(changed, nn.Module)
            changed.train()
            changed(_batch(sick)[0]).sum().backward()
        except Exception as error:
            raise AssertionError(f"{slug}: {error!r} in\n{code}") from error


@pytest.mark.parametrize("name", ["rate-too-high", "rate-too-high-adam", "parts"])
def test_a_rate_that_is_too_high_is_first_of_all_lowered(name: str) -> None:
    sick = TRAININGS[name]
    model, window, _ = _train(sick)
    from paramedic.diagnose.causes import Diagnosis
    from paramedic.prescribe.pharmacist import prescribe

    found = finding("learning-rate-too-high", update_ratio=0.5)
    first = prescribe(Diagnosis(root=found), window)[0]
    assert first.slug == "lower-rate"
    rate = _paste(first.code, sick, model)["optimizer"].param_groups[0]["lr"]
    assert 0 < rate <= sick.rate / 2
