from __future__ import annotations

from pathlib import Path

from paramedic.run.fix.patchers.layers import (
    more_dropout,
    output_activation,
    replace_activation,
)
from tests.run.fix.jobs import changed, job

SOFTMAX = {"output_function": "softmax"}


def test_an_attribute_becomes_an_identity(tmp_path: Path) -> None:
    text = "self.end = nn.Softmax(dim=1)  # layer end Softmax"
    (patch,) = output_activation(job(tmp_path, text, evidence=SOFTMAX))
    assert patch.after == "self.end = nn.Identity()  # layer end Softmax"


def test_an_element_goes(tmp_path: Path) -> None:
    text = """
    net = nn.Sequential(
        nn.Linear(2, 2),
        nn.Softmax(dim=1),  # layer 1 Softmax
    )
    """
    (patch,) = output_activation(job(tmp_path, text, evidence=SOFTMAX))
    assert patch.after == "net = nn.Sequential(\n    nn.Linear(2, 2),  # layer 1 Softmax\n)\n"


def test_a_function_goes(tmp_path: Path) -> None:
    text = """
    class Net(nn.Module):
        def __init__(self):
            self.fc = nn.Linear(2, 2)  # layer fc Linear
        def forward(self, x):
            return F.softmax(self.fc(x), dim=1)
    """
    (patch,) = output_activation(job(tmp_path, text, evidence=SOFTMAX))
    assert changed(patch)[1] == "+return self.fc(x)"
    text = text.replace("F.softmax(self.fc(x), dim=1)", "self.fc(x).softmax(1)")
    (patch,) = output_activation(job(tmp_path, text, evidence=SOFTMAX))
    assert changed(patch)[1] == "+return self.fc(x)"


def test_another_function_is_wanted(tmp_path: Path) -> None:
    text = "self.end = nn.Softmax(dim=1)  # layer end Softmax"
    (patch,) = output_activation(
        job(tmp_path, text, evidence=SOFTMAX, function="nn.LogSoftmax(dim=-1)")
    )
    assert "self.end = nn.LogSoftmax(dim=-1)" in patch.after


def test_activations(tmp_path: Path) -> None:
    text = "layers = [nn.Linear(2, 2), nn.Sigmoid()]  # layer 0 Linear 1 Sigmoid"
    found = job(tmp_path, text, old="Sigmoid", new="ReLU", layers=["1"])
    (patch,) = replace_activation(found)
    assert "layers = [nn.Linear(2, 2), nn.ReLU()]" in patch.after
    deep = job(
        tmp_path, text, old="Sigmoid", new="ReLU", layers=["1"], norm="BatchNorm1d", after=["0"]
    )
    first, second = replace_activation(deep)
    assert "[nn.Linear(2, 2), nn.LazyBatchNorm1d(), nn.ReLU()]" in first.after
    assert second.after == patch.after


def test_functions_in_forward(tmp_path: Path) -> None:
    text = """
    def forward(self, x):
        return self.b(torch.sigmoid(self.a(x)))  # model
    """
    (patch,) = replace_activation(job(tmp_path, text, old="Sigmoid", new="ReLU", layers=[]))
    assert "torch.relu(self.a(x))" in patch.after


def test_dropout(tmp_path: Path) -> None:
    text = "a, b = nn.Dropout(0.1), nn.Dropout(p=0.5)  # model"
    (patch,) = more_dropout(job(tmp_path, text, by=0.2, most=0.6))
    assert "a, b = nn.Dropout(0.3), nn.Dropout(p=0.6)" in patch.after
