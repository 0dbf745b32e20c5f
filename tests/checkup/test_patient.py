from __future__ import annotations

import pytest
import torch
from torch import nn

from paramedic.checkup.check import Skip

from .case import Case, labels, normal
from .patients import patient
from .sound import SOUND

pytestmark = pytest.mark.usefixtures("as_in_a_check")


def test_runs_begin_at_the_same_place_of_the_random_streams() -> None:
    someone = patient(SOUND["vae"]())
    assert torch.equal(someone.prediction(), someone.prediction())


def test_the_original_is_not_the_patient() -> None:
    case = SOUND["mlp-classifier"]()
    someone = patient(case)
    assert someone.model is not case.model
    assert someone.another() is not someone.model
    first = next(someone.shaken().parameters())
    assert not torch.equal(first, next(case.model.parameters()))


def test_an_objective_without_a_loss() -> None:
    someone = patient(Case(nn.Linear(3, 2), normal(6, 3)))
    with pytest.raises(Skip, match="no `loss_fn`"):
        someone.loss()
    assert someone.objective().requires_grad


def test_what_may_be_changed() -> None:
    assert patient(SOUND["gru-tagger"]()).variable() == (0,)
    assert patient(SOUND["siamese"]()).variable() == (0, 1)
    someone = patient(Case(nn.Flatten(), torch.ones(4, 2, dtype=torch.long)))
    assert not someone.can_vary
    with pytest.raises(Skip, match="free to change"):
        someone.variable()


def test_changing_inputs_leaves_the_targets() -> None:
    someone = patient(SOUND["gru-tagger"]())
    other = someone.varied()
    assert not (other.tensors[0] == someone.batch.tensors[0]).any()
    assert torch.equal(other.tensors[1], someone.batch.tensors[1])


def test_predictions_by_sample() -> None:
    someone = patient(Case(nn.Linear(3, 2), (normal(6, 3), labels(6, 2))))
    assert someone.by_sample(normal(6, 4, 5)).shape == (6, 20)
    assert someone.by_sample(normal(12, 5)).shape == (6, 10)
    with pytest.raises(Skip, match="no axis of 6 samples"):
        someone.by_sample(normal(5, 5))


def test_a_patient_that_cannot_be_called() -> None:
    someone = patient(Case(nn.Linear(9, 2), normal(6, 3)))
    with pytest.raises(Skip, match="see forward-shapes"):
        someone.prediction()
