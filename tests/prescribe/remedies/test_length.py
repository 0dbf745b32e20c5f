from __future__ import annotations

import math

from paramedic.prescribe.remedies.length import StopEarly, TrainLonger
from tests.diagnose.windows import series, window
from tests.prescribe.cases import dose, finding


def test_a_loss_that_falls_fast_needs_more_time() -> None:
    assert dose(TrainLonger(), finding("too-few-steps", fall=0.12)).code == "epochs *= 2"
    assert dose(TrainLonger(), finding("too-few-steps", fall=0.4)).code == "epochs *= 4"
    assert "12%" in dose(TrainLonger(), finding("slow-convergence", pace=0.12)).title


def test_the_run_stops_at_its_best_epoch() -> None:
    seen = window(epochs=series(train_loss=[3, 2, 1, 0.5], val_loss=[2, 0.9, 1.1, 1.5]))
    given = dose(StopEarly(), finding("overfitting"), seen)
    assert given.args == {"epoch": 1}
    assert given.code.startswith("if epoch == 1:")
    assert "0.9" in given.title


def test_without_validation_the_training_loss_speaks() -> None:
    seen = window(epochs=series(train_loss=[3, 2, 2.5, math.nan]))
    assert dose(StopEarly(), finding("no-more-gain"), seen).args == {"epoch": 1}
    assert StopEarly().dose(finding("no-more-gain"), window()) is None
