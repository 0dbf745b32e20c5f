from __future__ import annotations

from paramedic.prescribe.remedies.train_mode import TrainMode
from tests.prescribe.cases import dose, finding


def test_the_line_of_code_and_the_layers() -> None:
    given = dose(TrainMode(), finding("wrong-mode", "dropout1", "dropout2"))
    assert given.code.startswith("model.train()")
    assert "`dropout1`, `dropout2`" in given.title
