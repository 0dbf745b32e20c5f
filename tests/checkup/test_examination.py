from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import paramedic
from paramedic.checkup import Status
from paramedic.types import Finding

from .case import Case, labels, normal
from .sound import SOUND, mlp

X, Y = normal(8, 5), labels(8, 3)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"model": 3}, "`model` must be an `nn.Module` but got int"),
        ({"loss_fn": 3}, "`loss_fn` must be callable with the output and the target but got int"),
        ({"optimizer": 3}, "`optimizer` must be a `torch.optim.Optimizer` but got int"),
        ({"select": ["zzz"]}, "There is no check `zzz`"),
        ({"seconds": 0}, "`seconds` must be positive"),
    ],
)
def test_mistakes_are_refused_at_once(settings: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        paramedic.checkup(**{"model": nn.Linear(5, 3), "batch": (X, Y), **settings})


def test_findings_are_those_of_types() -> None:
    report = paramedic.checkup(nn.Linear(5, 3), (X, Y + 1), nn.CrossEntropyLoss())
    (finding,) = report.findings
    assert isinstance(finding, Finding)
    assert (finding.code, finding.step) == ("C015", 0)
    assert finding.evidence == {"lowest": 1, "highest": 3, "classes": 3}


def test_two_check_ups_say_the_same() -> None:
    first, second = (SOUND["transformer-encoder-with-padding"]().checkup() for _ in range(2))
    for one, other in zip(first.entries, second.entries, strict=True):
        assert (one.status, one.reason) == (other.status, other.reason)


def test_a_model_that_cannot_be_called_is_a_failure_of_its_own() -> None:
    report = paramedic.checkup(nn.Linear(9, 3), (X, Y), nn.CrossEntropyLoss())
    assert [entry.name for entry in report.failed] == ["forward-shapes"]
    assert "mat1 and mat2" in report.entry("forward-shapes").reason
    assert "see forward-shapes" in report.entry("gradient-flow").reason


def test_a_batch_of_another_kind_is_no_failure() -> None:
    class Three(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(5, 3)

        def forward(self, a: Any, b: Any, c: Any) -> Any:
            return self.inner(a)

    report = paramedic.checkup(Three(), X)
    assert report.ok
    assert "`forward=lambda model, batch: …` tells how" in report.entry("forward-shapes").reason


@pytest.mark.filterwarnings("ignore")  # of torch's own parts, when they are first loaded
def test_compiled_and_parallel_models_are_unwrapped() -> None:
    model = mlp(5, 3)
    compiled = torch.compile(model)
    for wrapped in (compiled, nn.DataParallel(model)):
        report = Case(wrapped, (X, Y), nn.CrossEntropyLoss()).checkup(select=["C003", "C013"])
        assert report.model == "Sequential"
        assert report.entry("gradient-flow").status is Status.PASSED


def test_a_lazy_model_stays_lazy() -> None:
    model = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(3))
    optimizer = torch.optim.Adam(model.parameters())
    report = Case(model, (X, Y), nn.CrossEntropyLoss(), optimizer).checkup()
    assert report.failed == ()
    assert report.parameters == 5 * 8 + 8 + 8 * 3 + 3
    assert isinstance(model[0], nn.LazyLinear)


def test_the_choice_of_checks() -> None:
    report = paramedic.checkup(nn.Linear(5, 3), X, select=["memory", "C003"])
    assert [entry.code for entry in report.entries] == ["C003", "C004"]
