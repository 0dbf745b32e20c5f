"""Accuracies that programs print."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest

from paramedic.run.printed import accuracy_in
from tests.run.support import plainly, script, under_watch


@pytest.mark.parametrize(
    ("line", "accuracy"),
    [
        ("epoch  50: loss 1.8953, validation accuracy 0.103", 0.103),
        ("Test Accuracy: 97.31%", 0.9731),
        ("val_acc=0.5 val_loss=1.2", 0.5),
        ("Epoch 3 | train acc 0.99 | val acc 0.12", 0.12),
        ("Test set: Average loss: 0.0264, Accuracy: 9912/10000 (99%)", 0.9912),
        ("Accuracy on the test set: 88.2", 0.882),
        ("Accuracy of the network on the 10000 test images: 55 %", 0.55),
        ("test/acc 12", 0.12),
        ("Eval accuracy (%): 45.5", 0.455),
        ("train acc 0.99", None),
        ("Accuracy: 0.4", None),  # of what?
        ("val acc 1", None),  # one percent, or all
        ("val acc 1.0", 1.0),
        ("val acc 0.5, test acc 0.6", None),  # which?
        ("testing accumulates 3 batches", None),
        ("latest accuracy 0.4", None),
        ("val accuracy 3/0", None),
        ("training: accuracy 0.9 of the test 12", None),
    ],
)
def test_lines(line: str, accuracy: float | None) -> None:
    assert accuracy_in(line) == (None if accuracy is None else pytest.approx(accuracy))


TEXT = """
import torch
from torch.nn import functional as F

torch.manual_seed(0)
x, y = torch.randn(60, 30), torch.arange(60) % 3
held_out, labels = torch.randn(300, 30), torch.arange(300) % 3
model = torch.nn.Linear(30, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(300):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    if epoch % 50 == 49:
        right = (model(held_out).argmax(1) == labels).float().mean().item()
        print("epoch", epoch, f"val acc {right:.3f}")
"""


def test_labels_that_have_nothing_to_do_with_the_inputs(tmp_path: Path) -> None:
    """The loss falls, since few samples are learned by heart; the program itself knows better."""
    path = script(tmp_path, TEXT)
    seen = under_watch(path)
    assert seen.stdout == plainly(path).stdout
    assert seen.verdict == "not learning"
    assert "no better than always answering the most frequent class" in (
        seen.outcome.assessment.reason
    )


def test_what_cannot_be_text_is_not_asked(tmp_path: Path) -> None:
    text = """
        class Shy:
            def __str__(self):
                told.append(self)
                return "val acc 0.5"

        import io, torch
        told = []
        torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
        print("val acc", Shy())
        print("val acc", 0.5, file=io.StringIO())
        print(len(told))
    """
    path = script(tmp_path, text)
    assert under_watch(path).stdout == plainly(path).stdout


def test_print_is_put_back(tmp_path: Path) -> None:
    before = builtins.print
    under_watch(script(tmp_path, "import torch"))
    assert builtins.print is before
