from __future__ import annotations

import numpy as np

from paramedic.diagnose.reference._iterations import accuracy, first_and_last, quotient
from paramedic.diagnose.reference.autotrainer import VanishingGradient
from tests.diagnose.windows import non_finite, series, window


def test_accuracy_of_the_validation_first() -> None:
    both = window(epochs=series(train_acc=[0.1, 0.2], val_acc=[np.nan, 0.3]))
    assert accuracy(both)[1] == 0.3
    assert np.isnan(accuracy(both)[0])
    assert accuracy(window(epochs=series(train_acc=[0.1, 0.2]))).tolist() == [0.1, 0.2]
    assert len(accuracy(window())) == 0


def test_what_was_known_at_the_last_check() -> None:
    made = window(epochs=series(val_acc=[0.1, np.nan, 0.3, 0.4]))
    rule = VanishingGradient()
    assert rule.checked(made) == 3
    assert rule.accuracies(made).tolist() == [0.1, 0.3]
    assert rule.best(made) == 0.3
    assert "before a check" in (
        rule.missing(window(epochs=series(val_acc=[np.nan] * 3 + [1]))) or ""
    )


def test_the_frame_of_an_iteration_is_the_newest_up_to_its_end() -> None:
    epochs = [{"val_acc": 0.1, "step": step} for step in (10, 20, 30)]
    made = window([9, 19, 29, 31], layers={"grad_norm": [[1], [2], [np.nan], [4]]}, epochs=epochs)
    rule = VanishingGradient(iterations=2)
    assert rule.missing(made) is None
    assert rule.rows(made).tolist() == [[1], [2], [2]]
    later = window([11, 31], layers={"grad_norm": [[1], [4]]}, epochs=epochs)
    assert rule.missing(later) is not None
    assert VanishingGradient(iterations=1).rows(later).tolist() == [[1], [1]]


def test_events_belong_to_the_iteration_that_they_fall_into() -> None:
    epochs = [{"val_acc": 0.1, "step": step} for step in (10, 20, 30, 40)]
    made = window(
        [5], layers={"grad_norm": [1]}, epochs=epochs, events=[non_finite(0), non_finite(30)]
    )
    assert VanishingGradient(iterations=2).is_non_finite(made).tolist() == [True, False, True]
    assert VanishingGradient().is_non_finite(made).tolist() == [True]


def test_first_and_last_measured_value() -> None:
    rows = np.array([[np.nan, 1, 2, np.nan], [3, np.nan, np.nan, 4]])
    first, last = first_and_last(rows)
    assert first.tolist() == [1, 3]
    assert last.tolist() == [2, 4]
    assert np.isnan(quotient(np.zeros(1), np.zeros(1)))[0]
    assert quotient(np.ones(1), np.zeros(1))[0] == np.inf
