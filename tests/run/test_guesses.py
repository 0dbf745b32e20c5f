from __future__ import annotations

from pathlib import Path

import pytest
import torch

from paramedic.probe.guard import Guard
from paramedic.run.guesses import Guesses
from tests.run.support import plainly, script, under_watch

HEAD = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
x = torch.randn(300, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), 0.1)
train = DataLoader(TensorDataset(x[:200], y[:200]), 50, shuffle=True)
test = DataLoader(TensorDataset(x[200:], y[200:]), 40)
for epoch in range(3):
    for a, b in train:
        opt.zero_grad()
        nn.functional.cross_entropy(model(a), b).backward()
        opt.step()
"""
COUNTING = """
    with torch.no_grad():
        print(sum((model(a).argmax(1) == b).sum().item() for a, b in test) / 100)
"""


def _accuracies(folder: Path, text: str) -> tuple[list[float | None], str]:
    path = script(folder, HEAD + text)
    seen = under_watch(path)
    plain = plainly(path)
    assert seen.stdout == plain.stdout
    assert all(torch.equal(a, b) for a, b in zip(seen.weights, plain.weights, strict=True))
    assert not torch.nn.modules.module._global_forward_hooks
    (record,) = seen.outcome.records
    return [epoch.values.get("val_acc") for epoch in record.epochs], seen.stdout


def test_right_answers_are_counted(tmp_path: Path) -> None:
    """The same numbers as those that the script prints."""
    found, printed = _accuracies(tmp_path, COUNTING)
    assert found == pytest.approx([float(line) for line in printed.split()])
    assert len(found) == 3


@pytest.mark.parametrize(
    "text",
    [
        COUNTING.replace("in test", "in train").replace("/ 100", "/ 200"),
        COUNTING.replace("model(a).argmax(1)", "model(a)[:, :1].argmax(1)").replace(
            "model(a)", "model[0](a)"
        ),
        "    with torch.no_grad():\n        print(model(x[200:]).argmax(1).sum().item())\n",
    ],
    ids=["the training's own data", "only a part of the model", "no loader"],
)
def test_what_is_not_an_evaluation(text: str, tmp_path: Path) -> None:
    found, _ = _accuracies(tmp_path, text)
    assert set(found) <= {None}


def test_a_loss_speaks_for_itself(tmp_path: Path) -> None:
    """The model is called once a batch; what its loss shows is not counted twice."""
    text = """
    with torch.no_grad():
        right = 0
        for a, b in test:
            scores = model(a)
            nn.functional.cross_entropy(scores, b)
            right += (scores.argmax(1) == b).sum().item()
        print(right / 100)
"""
    found, printed = _accuracies(tmp_path, text)
    assert found == pytest.approx([float(line) for line in printed.split()])


def test_a_training_without_labels_is_soon_left_alone() -> None:
    guesses = Guesses(Guard(strict=True), lambda right, count: None)
    model = torch.nn.Linear(3, 2)
    guesses.follow(model)
    assert len(torch.nn.modules.module._global_forward_hooks) == 1
    for _ in range(8):
        guesses.served((torch.randn(4, 3), torch.randn(4, 2)), learned=True)
        model(torch.randn(4, 3))
        guesses.stepped()
    assert not torch.nn.modules.module._global_forward_hooks
