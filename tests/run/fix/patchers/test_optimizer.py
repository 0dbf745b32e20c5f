from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.run.fix.patchers.optimizer import (
    all_parameters,
    change_class,
    minimise,
    scale_rate,
    weight_decay,
)
from tests.run.fix.jobs import changed, job

LINE = "opt = torch.optim.SGD(model.parameters(), lr={}, momentum=0.9)  # optimizer"


def test_a_number(tmp_path: Path) -> None:
    patches = list(scale_rate(job(tmp_path, LINE.format("0.1"), factor=0.01)))
    assert [one.remedy.title.rpartition(" ")[2] for one in patches] == ["0.001", "0.004", "0.00025"]
    assert changed(patches[0]) == [
        "-opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # optimizer",
        "+opt = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)  # optimizer",
    ]


@pytest.mark.parametrize(
    ("before", "given", "line"),
    [
        ("RATE = 0.1  # slow", "RATE", "+RATE = 0.001  # slow"),
        ("p.add_argument('--lr', type=float, default=0.1)\nargs = p.parse_args()", "args.lr",
         "+p.add_argument('--lr', type=float, default=0.001)"),
        ("p.add_argument('--learning-rate', default=1e-1)", "args.learning_rate",
         "+p.add_argument('--learning-rate', default=0.001)"),
        ("@dataclass\nclass Config:\n    lr: float = 0.1\nc = Config()", "c.lr",
         "+lr: float = 0.001"),
        ("config = {'lr': 0.1, 'epochs': 3}", "config['lr']",
         "+config = {'lr': 0.001, 'epochs': 3}"),
    ],
)  # fmt: skip
def test_where_the_value_is_defined(before: str, given: str, line: str, tmp_path: Path) -> None:
    patch = next(scale_rate(job(tmp_path, f"{before}\n{LINE.format(given)}", factor=0.01)))
    assert changed(patch)[1:] == [line]


def test_a_default_of_the_function(tmp_path: Path) -> None:
    text = f"""
    def train(model, lr=0.1):
        {LINE.format("lr")}
    """
    patch = next(scale_rate(job(tmp_path, text, factor=0.01)))
    assert changed(patch) == ["-def train(model, lr=0.1):", "+def train(model, lr=0.001):"]


def test_an_expression_is_multiplied(tmp_path: Path) -> None:
    patch = next(scale_rate(job(tmp_path, LINE.format("base + 1"), factor=0.01)))
    assert "lr=0.01 * (base + 1), momentum" in changed(patch)[1]


def test_a_value_of_the_command_line(tmp_path: Path) -> None:
    text = f"p.add_argument('--lr', default=1)\n{LINE.format('args.lr')}"
    patch = next(scale_rate(job(tmp_path, text, factor=0.01, arguments=("--lr", "0.1", "x"))))
    assert patch.arguments == ("--lr", "0.001", "x")
    assert patch.diff() == ""


def test_no_rate_is_given(tmp_path: Path) -> None:
    text = "opt = torch.optim.SGD(\n    model.parameters(),  # optimizer\n)"
    patch = next(scale_rate(job(tmp_path, text, factor=0.01)))
    assert "lr=0.001" in patch.after


def test_another_class(tmp_path: Path) -> None:
    (patch,) = change_class(job(tmp_path, LINE.format("0.1"), name="Adam", lr=1e-3))
    assert "torch.optim.Adam(model.parameters(), lr=0.001)" in patch.after
    (patch,) = change_class(job(tmp_path, LINE.format("0.1"), name="SGD", momentum=0.5))
    assert "lr=0.1, momentum=0.5)" in patch.after


def test_settings(tmp_path: Path) -> None:
    text = "opt = torch.optim.SGD(model.parameters(), 0.1, maximize=True)  # optimizer"
    (patch,) = minimise(job(tmp_path, text))
    assert "maximize=False" in patch.after
    (patch,) = weight_decay(job(tmp_path, text, weight_decay=0.01))
    assert "maximize=True, weight_decay=0.01)" in patch.after


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("model.head.parameters()", ["model.parameters()"]),
        ("self.model.head.parameters()", ["self.model.parameters()"]),
        ("model.parameters()", []),
        ("[weight]", []),
    ],
)
def test_all_parameters(given: str, wanted: list[str], tmp_path: Path) -> None:
    patches = list(all_parameters(job(tmp_path, f"o = torch.optim.SGD({given})  # optimizer")))
    assert [patch.after for patch in patches] == [
        f"o = torch.optim.SGD({one})  # optimizer" for one in wanted
    ]
