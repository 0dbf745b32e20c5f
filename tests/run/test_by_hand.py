"""Programs that move their weights themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.nn.modules import module as modules

from paramedic.probe.backward import backward_passes
from paramedic.run.by_hand import Hand
from tests.run.support import Seen, plainly, script, under_watch

HEAD = """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
criterion = nn.CrossEntropyLoss()
losses = []
def show():
    print(losses, [p.double().sum().item() for p in model.parameters()])
"""
LOOP = """
lr = {rate}
for step in range({steps}):
    model.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 10)
    losses.append(loss.item())
{update}
show()
"""
UPDATES = {
    "no_grad": "    with torch.no_grad():\n"
    "        for p in model.parameters():\n"
    "            p.add_(p.grad, alpha=-lr)",
    "data": "    for p in model.parameters():\n        p.data.add_(p.grad, alpha=-lr)",
    "minus": "    with torch.no_grad():\n"
    "        for p in model.parameters():\n"
    "            p -= lr * p.grad",
    "replaced": "    for p in model.parameters():\n        p.data = p.data - lr * p.grad",
}


def _train(folder: Path, update: str, rate: str = "0.5", steps: int = 60) -> tuple[Seen, Seen]:
    path = script(folder, HEAD + LOOP.format(rate=rate, steps=steps, update=UPDATES[update]))
    return under_watch(path), plainly(path)


@pytest.mark.parametrize("update", UPDATES)
def test_found_and_watched(update: str, tmp_path: Path) -> None:
    seen, plain = _train(tmp_path, update)
    assert seen.stdout == plain.stdout  # the same losses and weights
    (record,) = seen.outcome.records
    assert (record.steps, record.name) == (60, "model")
    shown = eval(seen.stdout.split("] [")[0] + "]")  # noqa: S307 - printed by the program above
    assert list(record.losses) == pytest.approx(shown)
    assert record.frames > 20
    assert record.chart.task == "multi-class"
    assert all(layer.in_optimizer for layer in record.chart.layers if layer.parameters)
    assert record.chart.optimizers[0]["name"] == "by hand"
    assert seen.verdict == "learning"


def test_the_line_of_the_update(tmp_path: Path) -> None:
    seen, _ = _train(tmp_path, "no_grad", rate="1e-6", steps=120)
    assert seen.root == "learning-rate-too-low"
    assert seen.line() == "p.add_(p.grad, alpha=-lr)"


@pytest.mark.parametrize(("factor", "rate"), [(1.0, 0.25), (-1.0, None)])
def test_the_rate_is_measured(factor: float, rate: float | None) -> None:
    """Also after clipping and after the gradient is gone; an ascent has none."""
    model = torch.nn.Linear(4, 3)
    hand = Hand(list(model.parameters()))
    hand.before_backward()
    model(torch.ones(2, 4)).sum().backward()
    assert hand.after_backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    assert not hand.moved()
    for one in model.parameters():
        assert one.grad is not None
        one.data.add_(one.grad, alpha=-0.25 * factor)
    model.zero_grad()
    assert hand.moved()
    hand.step()
    assert hand.shadow.param_groups[0].get("lr") == rate


def test_a_change_from_one_way_of_writing_to_another_is_seen(tmp_path: Path) -> None:
    """First in place, which counts the version of a tensor, then by `.data`, which does not."""
    text = """
for step in range(40):
    model.zero_grad()
    criterion(model(x), y).backward()
    for p in model.parameters():
        if step < 20:
            with torch.no_grad():
                p -= 0.1 * p.grad
        else:
            p.data -= 0.1 * p.grad
"""
    (record,) = under_watch(script(tmp_path, HEAD + text)).outcome.records
    assert record.steps >= 38  # the first without a version may be taken for accumulation


def test_gradients_of_several_batches_are_one_step(tmp_path: Path) -> None:
    text = """
for step in range(20):
    model.zero_grad()
    for part in range(4):
        criterion(model(x[part::4]), y[part::4]).backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
"""
    (record,) = under_watch(script(tmp_path, HEAD + text)).outcome.records
    assert record.steps == 20
    assert record.chart.accumulate == 4


def test_tensors_without_a_module(tmp_path: Path) -> None:
    text = """
a, b = torch.zeros(8, requires_grad=True), torch.zeros((), requires_grad=True)
for step in range(50):
    loss = (x @ a + b - x[:, 1]).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        a -= 0.1 * a.grad
        b -= 0.1 * b.grad
        a.grad = b.grad = None
"""
    (record,) = under_watch(script(tmp_path, HEAD + text)).outcome.records
    assert record.steps == 50
    assert record.losses[0] > 10 * record.losses[-1]


def test_several_one_after_the_other(tmp_path: Path) -> None:
    text = """
for fold in range(3):
    model = nn.Linear(8, 2)
    for step in range(30):
        model.zero_grad()
        criterion(model(x), y).backward()
        for p in model.parameters():
            p.data.sub_(p.grad, alpha=0.1)
"""
    records = under_watch(script(tmp_path, HEAD + text)).outcome.records
    assert [record.steps for record in records] == [30, 30, 30]


@pytest.mark.parametrize(
    "text",
    [
        "x.requires_grad_()\nfor _ in range(5): criterion(model(x), y).backward()",
        "delta = torch.zeros_like(x, requires_grad=True)\n"
        "opt = torch.optim.SGD(model.parameters(), 0.1)\n"
        "for _ in range(5):\n"
        "    criterion(model(x + delta), y).backward()\n"
        "    delta.data = delta + delta.grad.sign()",
    ],
    ids=["gradients of inputs", "an attack on a model that has an optimizer"],
)
def test_what_is_no_training(text: str, tmp_path: Path) -> None:
    seen = under_watch(script(tmp_path, HEAD + text))
    assert seen.outcome.records == ()


def test_an_optimizer_that_comes_later_is_the_one(tmp_path: Path) -> None:
    text = """
criterion(model(x), y).backward()
model.zero_grad()
opt = torch.optim.SGD(model.parameters(), 0.1)
for step in range(30):
    opt.zero_grad()
    criterion(model(x), y).backward()
    opt.step()
"""
    (record,) = under_watch(script(tmp_path, HEAD + text)).outcome.records
    assert record.chart.optimizers[0]["name"] == "SGD"
    assert record.steps == 30


def test_the_end_by_steps(tmp_path: Path) -> None:
    text = HEAD + LOOP.format(rate="0.1", steps=60, update=UPDATES["data"])
    seen = under_watch(script(tmp_path, text), max_steps=7)
    assert seen.outcome.records[0].steps == 7
    assert seen.stdout == ""


def test_nothing_is_left(tmp_path: Path) -> None:
    _train(tmp_path, "data", steps=5)
    assert "add_" not in vars(torch.Tensor)
    assert not modules._global_forward_pre_hooks
    assert not backward_passes.observers


def test_an_optimizer_that_is_made_before_its_first_step_has_all_losses(tmp_path: Path) -> None:
    text = """
opt = None
for step in range(10):
    model.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    opt = opt or torch.optim.SGD(model.parameters(), 0.1)
    opt.step()
    losses.append(loss.item())
show()
"""
    seen = under_watch(script(tmp_path, HEAD + text))
    (record,) = seen.outcome.records
    shown = eval(seen.stdout.split("] [")[0] + "]")  # noqa: S307 - printed by the program above
    assert list(record.losses) == pytest.approx(shown)
