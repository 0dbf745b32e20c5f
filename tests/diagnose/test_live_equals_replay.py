"""What was said while a run went on is what a replay of its trace says, to the last number."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402

import paramedic  # noqa: E402
from paramedic.diagnose.replay import replay  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Using a target size:UserWarning")

Run = Callable[..., Any]
RUNS: list[Any] = []


def short(steps: int = 40, *, marks: Any = (), **options: Any) -> Callable[[Run], Run]:
    """Takes a run into the list: it is watched with these options for so many steps."""

    def add(run: Run) -> Run:
        name = f"{run.__name__.strip('_').replace('_', '-')}-{len(RUNS)}"
        RUNS.append(pytest.param(run, steps, options, id=name, marks=marks))
        return run

    return add


def net(*, width: int = 16, depth: int = 2, act: type[nn.Module] = nn.ReLU) -> nn.Sequential:
    layers: list[nn.Module] = []
    for place in range(depth):
        layers += [nn.Linear(4 if place == 0 else width, width), act()]
    return nn.Sequential(*layers, nn.Linear(width, 3))


def data(samples: int = 32) -> tuple[Tensor, Tensor]:
    x = torch.randn(samples, 4)
    return x, (x[:, 0] > 0).long() + (x[:, 1] > 0).long()


def sgd(model: nn.Module, rate: float = 0.1, **more: Any) -> torch.optim.SGD:
    return torch.optim.SGD(model.parameters(), lr=rate, **more)


def update(model: nn.Module, optimizer: torch.optim.Optimizer, scale: float = 1.0) -> Tensor:
    """An ordinary step."""
    x, y = data()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(scale * x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


def tell(monitor: Any, step: int) -> None:
    """Epochs of eight steps that soon get worse."""
    if step % 8 == 7:
        monitor.epoch(train_loss=1 / (step + 1), val_loss=1 + abs(step - 20) / 20, val_acc=0.5)


@short(overhead=None)
@short(overhead=0.5)
@short(120, overhead=None)
@short(3, overhead=None)
def _healthy(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        for step in range(steps):
            update(model, optimizer)
            tell(monitor, step)


@short(overhead=None)
@short(overhead=0.5)
def _no_epochs(watch: Run, steps: int) -> Iterator[Any]:
    model = net(act=nn.Tanh)
    optimizer = torch.optim.Adam(model.parameters())
    with watch(model, optimizer) as monitor:
        yield monitor
        for _ in range(steps):
            update(model, optimizer)


@short(overhead=None)
@short(overhead=0.5)
def _epochs_at_odd_places(watch: Run, steps: int) -> Iterator[Any]:
    """Before the first step, twice in a row, between backward and step, after the last."""
    model = net()
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        monitor.epoch(val_loss=3.0)
        for step in range(steps):
            x, y = data()
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            if step % 7 == 3:
                monitor.epoch(val_loss=2.0 + step, train_loss=2.0)
            optimizer.step()
            if step % 11 == 5:
                monitor.epoch(val_loss=2.0)
                monitor.epoch(val_loss=math.nan)
        monitor.epoch(val_loss=1.0)


@short(overhead=None)
@short(overhead=0.5)
def _nan_from_a_batch(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        for step in range(steps):
            update(model, optimizer, math.nan if step == 17 else 1.0)
            tell(monitor, step)


@short(overhead=None)
def _one_infinite_loss(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        for step in range(steps):
            loss = update(model, optimizer)
            if step == 20:
                monitor.step(math.inf * float(loss))


@short(100, overhead=None)
@short(100, overhead=0.5)
def _dead_relu(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    nn.init.constant_(model[0].bias, -50.0)
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        for _ in range(steps):
            update(model, optimizer)


@short(overhead=None)
@short(overhead=0.5)
def _missing_zero_grad(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        for _ in range(steps):
            x, y = data()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


@short(60, overhead=None)
@short(60, overhead=0.5)
def _rate_too_high(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    optimizer = sgd(model, 100.0, momentum=0.9)
    with watch(model, optimizer) as monitor:
        yield monitor
        for step in range(steps):
            update(model, optimizer)
            tell(monitor, step)


@short(60, overhead=None)
def _rate_too_low(watch: Run, steps: int) -> Iterator[Any]:
    model = net(depth=6, act=nn.Sigmoid)
    optimizer = sgd(model, 1e-8)
    with watch(model, optimizer) as monitor:
        yield monitor
        for _ in range(steps):
            update(model, optimizer)


@short(overhead=None)
@short(overhead=0.5)
def _amended_losses(watch: Run, steps: int) -> Iterator[Any]:
    """The user hands in another loss: after each step, after some, before the step."""
    model = net()
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        for step in range(steps):
            loss = update(model, optimizer)
            if step % 3 == 0:
                monitor.step(float(loss) * 10)
            if step % 10 == 9:
                monitor.epoch(val_loss=1.0)
                monitor.step(math.nan if step == 29 else 5.0)  # too late for the file


@short(overhead=None)
@short(overhead=0.5)
def _accumulation(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        for step in range(4 * steps):
            x, y = data(8)
            (F.cross_entropy(model(x), y) / 4).backward()
            if step % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()
            tell(monitor, step)


@short(overhead=None)
@short(overhead=0.5)
def _adversaries(watch: Run, steps: int) -> Iterator[Any]:
    maker, critic = nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizers = [sgd(maker), sgd(critic)]
    with watch({"maker": maker, "critic": critic}, optimizers) as monitor:
        yield monitor
        for step in range(steps):
            fake = maker(torch.randn(16, 2))
            for optimizer, shown, label in (
                (optimizers[1], fake.detach(), torch.zeros(16, 1)),
                (optimizers[0], fake, torch.ones(16, 1)),
            ):
                optimizer.zero_grad()
                F.binary_cross_entropy_with_logits(critic(shown), label).backward()
                optimizer.step()
            tell(monitor, step)


@short(overhead=None)
def _shapes_that_broadcast(watch: Run, steps: int) -> Iterator[Any]:
    model = nn.Linear(4, 1)
    optimizer = sgd(model, 0.01)
    with watch(model, optimizer) as monitor:
        yield monitor
        for _ in range(steps):
            x, y = data()
            optimizer.zero_grad()
            F.mse_loss(model(x), y.float()).backward()
            optimizer.step()


@short(60, overhead=None, select=("O", "N"))
def _an_error_ends_the_run(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    optimizer = sgd(model)
    monitor = watch(model, optimizer)
    yield monitor
    try:
        for step in range(steps):
            update(model, optimizer)
            if step == 50:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        monitor.close()


@short(60, overhead=None)
def _a_frozen_part_is_thawed(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    model[0].requires_grad_(False)
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        for step in range(steps):
            if step == 30:
                model[0].requires_grad_(True)
            update(model, optimizer)


@short(60, overhead=None)
def _a_layer_is_added(watch: Run, steps: int) -> Iterator[Any]:
    model = net()
    optimizer = sgd(model)
    with watch(model, optimizer) as monitor:
        yield monitor
        for step in range(steps):
            if step == 30:
                model.add_module("late", nn.Linear(3, 3))
                optimizer.add_param_group({"params": model.late.parameters()})
            update(model, optimizer)


@pytest.mark.parametrize(("run", "steps", "options"), RUNS)
def test_live_equals_replay(run: Run, steps: int, options: dict[str, Any], tmp_path: Path) -> None:
    torch.manual_seed(0)
    trace = tmp_path / "run.db"

    def watch(*watched: Any) -> Any:
        return paramedic.watch(*watched, trace=trace, strict=True, **options)

    (monitor,) = run(watch, steps)
    engine = monitor._recorder.engine
    verdict = replay(trace, select=options.get("select", ()))
    assert told(verdict.cases) == told(engine.cases)
    assert verdict.diagnosis.to_json() == engine.diagnosis().to_json()
    assert verdict.findings == monitor.findings
    assert verdict.last_step == monitor.last_step
    with paramedic.Trace.open(trace) as stored:
        assert json.dumps(stored.meta("cases")) == json.dumps(told(verdict.cases))


def told(cases: Any) -> list[dict[str, Any]]:
    """The cases with everything that was said of them."""
    return [case.to_json() for case in cases]


def test_the_runs_are_various() -> None:
    """Else the test above would compare nothing with nothing."""
    assert len(RUNS) >= 20
