from __future__ import annotations

from pathlib import Path

import pytest
import torch

import paramedic
from paramedic.hpo.recording import Goal, StudyFolder
from tests.hpo.trainings import nan_from, nothing, patient, train

EPOCHS = 4


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four recorded trials: the second becomes NaN in its second epoch."""
    torch.set_num_threads(1)
    path = tmp_path_factory.mktemp("recorded") / "study"
    folder = StudyFolder(path)
    folder.create(Goal("val_loss", "minimize", EPOCHS))
    for number in range(4):
        model, optimizer = patient(rate=0.02 * (number + 1), seed=number)
        spoil = nan_from(13) if number == 1 else nothing
        values = []
        with paramedic.watch(model, optimizer, trace=folder.trace(number)) as monitor:
            for told in train(model, optimizer, EPOCHS, spoil=spoil):
                monitor.epoch(**told)
                values.append(told["val_loss"])
        folder.add(number, values, [1.0, 2.0, 3.0, 4.0], {"number": number})
    return path
