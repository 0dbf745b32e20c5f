"""The line that is shown first is the culprit's."""

from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.run.culprits import culprits
from paramedic.run.places import Place
from paramedic.run.sources import sources
from paramedic.types import Finding, Severity
from tests.run.support import script, under_watch

LOOP = """
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range({steps}):
    x = torch.randn(16, 6)
    y = (x[:, 0] > 0).long()
    optimizer.zero_grad()
    output = model(x)
    loss = F.cross_entropy(output, y)
    total = loss.detach().item()
    loss.backward()
    optimizer.step()
    history.append(loss.detach())
"""
HEAD = """
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
history = []

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 16), nn.Linear(16, 2)
        {init}

    def forward(self, x):
        x = torch.relu(self.body(x))
        {forward}

@torch.no_grad()
def accuracy(x, y):
    return (F.softmax(Net()(x.detach()), 1).argmax(1) == y).float().mean()
"""
PLAIN = "return self.head(x)"
CASES = {
    "detach": ("untrained-parameters", "pass", "return self.head(x.detach())"),
    "data": ("untrained-parameters", "pass", "return self.head(x.data)"),
    "softmax": ("improper-output-activation", "pass", "return F.softmax(self.head(x), dim=1)"),
    "method": ("improper-output-activation", "pass", "return self.head(x).softmax(1)"),
    "init": ("poor-initialization", "nn.init.normal_(self.body.weight, std=300.0)", PLAIN),
}


@pytest.mark.parametrize("name", CASES)
def test_in_a_program(name: str, tmp_path: Path) -> None:
    slug, init, forward = CASES[name]
    text = HEAD.format(init=init, forward=forward) + LOOP.format(steps=150)
    record = under_watch(script(tmp_path, text)).outcome.records[0]
    found = [one for one in record.diagnosis.findings if one.slug == slug]
    assert found, [one.slug for one in record.diagnosis.findings]
    place = record.source(found[0])[0]
    line = Path(place.file).read_text().splitlines()[place.line - 1].strip()
    assert line == (init if init != "pass" else forward)


# -- without a run ---------------------------------------------------------------------------


def _lines(folder: Path, text: str, slug: str, message: str = "", **evidence: object) -> list[str]:
    path = folder / "train.py"
    path.write_text(text)
    rows = text.splitlines()
    at = {
        name: Place(str(path), next(n for n, row in enumerate(rows, 1) if word in row))
        for name, word in (("model", "model(x)"), ("backward", "backward()"))
    }
    finding = Finding("X001", slug, Severity.WARNING, 0.9, message, 1, (), evidence)
    return [rows[place.line - 1].strip() for place in culprits(finding, {}, at)]


def test_no_grad_around_the_forward_pass(tmp_path: Path) -> None:
    text = (
        "def train(x):\n    with torch.no_grad():\n        h = body(x)\n    loss = model(x)\n"
        "    loss.backward()\n    with torch.no_grad():\n        check()\n"
        "def evaluate():\n    with torch.no_grad():\n        model(1)\n"
    )
    found = _lines(tmp_path, text, "untrained-parameters", reason="gradient")
    assert found == ["with torch.no_grad():"]


def test_frozen_parameters(tmp_path: Path) -> None:
    text = "for p in net.parameters():\n    p.requires_grad = False\nmodel(x)\nloss.backward()\n"
    found = _lines(tmp_path, text, "untrained-parameters", reason="gradient")
    assert found == ["p.requires_grad = False"]
    text = "net.requires_grad_(False)\nmodel(x)\nloss.backward()\n"
    found = _lines(tmp_path, text, "untrained-parameters", reason="gradient")
    assert found == ["net.requires_grad_(False)"]


def test_the_optimizer_is_the_culprit_where_it_was_not_given_the_layer(tmp_path: Path) -> None:
    text = "h = x.detach()\nmodel(x)\nloss.backward()\n"
    assert _lines(tmp_path, text, "untrained-parameters", reason="optimizer") == []


def test_weights_that_are_written_to(tmp_path: Path) -> None:
    text = "layer.weight.data.fill_(0.0)\nbuffer.fill_(1)\nmodel(x)\nloss.backward()\n"
    found = _lines(tmp_path, text, "poor-initialization")
    assert found == ["layer.weight.data.fill_(0.0)"]


def test_a_logarithm_in_the_loss(tmp_path: Path) -> None:
    text = (
        "p = model(x)\nloss = -torch.log(p).mean()\nloss.backward()\n"
        "print(torch.log(p))\ndef other():\n    return math.log(2)\n"
    )
    message = "Step 3: non-finite, born after the model, in the computation of the loss (Log)."
    found = _lines(tmp_path, text, "non-finite", message, origin="loss")
    assert found == ["loss = -torch.log(p).mean()"]


def test_a_normalisation_of_the_inputs(tmp_path: Path) -> None:
    text = "t = transforms.Normalize(0, 1e-3)\nmodel(x)\nloss.backward()\n"
    assert _lines(tmp_path, text, "abnormal-data") == ["t = transforms.Normalize(0, 1e-3)"]


def test_a_chain_over_several_lines(tmp_path: Path) -> None:
    text = "h = (\n    body(x)\n    .detach()\n)\nmodel(x)\nloss.backward()\n"
    found = _lines(tmp_path, text, "untrained-parameters", reason="gradient")
    assert found == [".detach()"]


@pytest.mark.parametrize("text", ["model(x)\nbackward()\n(", "model(x)\nbackward()\n\0"])
def test_a_file_that_cannot_be_read(text: str, tmp_path: Path) -> None:
    assert _lines(tmp_path, text, "poor-initialization") == []
    finding = Finding("X001", "poor-initialization", Severity.WARNING, 0.9, "", 1)
    gone = Place(str(tmp_path / "gone.py"), 3)
    assert sources(finding, {"a": gone}, {}) in ([gone], [])


def test_a_module_at_the_end_comes_before_a_call_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("def forward(x):\n    return torch.softmax(x, 1)\n")
    layer = Place(str(path), 9)
    finding = Finding(
        "A002", "improper-output-activation", Severity.WARNING, 0.9, "", 1, ("end",),
        {"output_function": "softmax"},
    )  # fmt: skip
    assert sources(finding, {"end": layer}, {})[0] == layer


def test_a_culprit_that_is_also_where_the_loss_is_computed_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("out = model(x)\nloss = bce(torch.sigmoid(out), y)\nloss.backward()\n")
    finding = Finding(
        "A003", "improper-output-activation", Severity.WARNING, 0.9, "", 1, (),
        {"output_function": "sigmoid"},
    )  # fmt: skip
    places = {
        name: Place(str(path), line, "<module>")
        for name, line in (("model", 1), ("loss", 2), ("backward", 3))
    }
    assert [place.line for place in sources(finding, {}, places)] == [2, 3]
