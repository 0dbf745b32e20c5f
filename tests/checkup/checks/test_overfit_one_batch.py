from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.checkup.checks.overfit_one_batch import OverfitOneBatch
from paramedic.checkup.preserving import preserved
from tests.checkup.case import Case, labels, normal
from tests.checkup.patients import patient
from tests.checkup.sound import SOUND, mlp

CHECK = "overfit-one-batch"


def test_few_weights_learn_few_samples() -> None:
    x = normal(16, 1)
    entry = Case(nn.Linear(1, 1), (x, 0.1 * x + normal(16, 1, seed=9)), nn.MSELoss()).entry(CHECK)
    assert entry.status == "passed"
    assert "2 samples" in entry.reason


def test_too_few_weights_are_not_blamed() -> None:
    model = nn.Conv2d(1, 3, 1)
    noise = labels(4 * 64, 3).view(4, 8, 8)
    entry = Case(model, (normal(4, 1, 8, 8), noise), nn.CrossEntropyLoss()).entry(CHECK)
    assert entry.status == "skipped"
    assert "6 weights may be too few for 128 targets" in entry.reason


def test_soft_targets_have_a_floor() -> None:
    entry = Case(mlp(5, 1), (normal(8, 5), normal(8, 1).sigmoid()), nn.BCEWithLogitsLoss()).entry(
        CHECK
    )
    assert entry.status == "passed"


def test_losses_of_unknown_kind_must_fall_by_a_tenth() -> None:
    entry = SOUND["gaussian-likelihood"]().entry(CHECK)
    assert entry.status == "passed"
    assert entry.measured["goal"] < entry.measured["first"]


def test_dropout_does_not_disturb() -> None:
    model = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Dropout(0.9), nn.Linear(64, 3))
    assert (
        Case(model, (normal(8, 5), labels(8, 3)), nn.CrossEntropyLoss()).entry(CHECK).findings == ()
    )


def test_out_of_time_is_no_verdict() -> None:
    case = Case(mlp(5, 3), (normal(8, 5), labels(8, 3)), nn.CrossEntropyLoss())
    with preserved():
        entry = _outcome(case, OverfitOneBatch(seconds=0.0, share=0.999))
    assert "no verdict in the time" in entry


def _outcome(case: Case, check: OverfitOneBatch) -> str:
    try:
        return check.run(patient(case)).reason
    except Exception as reason:  # noqa: BLE001 - the words are what is tested
        return str(reason)


def test_a_loss_at_its_lowest_cannot_fall() -> None:
    model = nn.Linear(5, 3)
    case = Case(model, (normal(8, 5), torch.zeros(8, 3)), nn.MSELoss())
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    assert "begins at its lowest" in case.entry(CHECK).reason


def test_an_output_that_does_not_see_the_input() -> None:
    class Deaf(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp(5, 3)

        def forward(self, x: Tensor) -> Tensor:
            return self.net(torch.ones_like(x))

    def loss(output: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(output, target)

    entry = Case(Deaf(), (normal(8, 5), torch.arange(8) % 3), loss).entry(CHECK)
    assert "cannot learn 8 samples by heart" in entry.reason
