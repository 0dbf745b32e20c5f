from __future__ import annotations

from dataclasses import replace

import numpy as np

from paramedic.report.view.panels import Panel, panels
from paramedic.types import Epoch
from tests.report.made import course


def _by_name(found: tuple[Panel, ...]) -> dict[str, Panel]:
    return {panel.name: panel for panel in found}


def test_what_is_shown() -> None:
    found = _by_name(panels(course(), 50))
    assert list(found) == ["loss", "metric:acc", "grad_norm", "rate"]
    assert [one.name for one in found["loss"].curves] == ["loss", "train_loss", "val_loss"]
    assert [one.by_epoch for one in found["loss"].curves] == [False, True, True]
    assert len(found["loss"].curves[0].points.values) == 50
    assert found["loss"].curves[2].points.steps.tolist() == [50, 99]
    assert found["metric:acc"].title == "Accuracy"


def test_in_words() -> None:
    found = _by_name(panels(course(), 200))
    assert found["rate"].summary == "rate of group 0 0.1 throughout."
    assert found["metric:acc"].summary == "val_acc from 0.4 to 0.6."


def test_losses_that_are_not_finite_and_skipped_steps_are_marked() -> None:
    run = course()
    finite, skipped = run.pulse.finite.copy(), run.pulse.skipped.copy()
    finite[90:], skipped[7] = False, True
    loss = np.where(finite, run.pulse.loss, np.nan)
    run = replace(run, pulse=replace(run.pulse, loss=loss, finite=finite, skipped=skipped))
    found = _by_name(panels(run, 200))
    assert found["loss"].ticks["not finite"].tolist() == list(range(90, 100))
    assert found["loss"].summary.endswith("; 10 steps not finite.")
    assert found["rate"].ticks["skipped"].tolist() == [7]
    assert found["rate"].counts == {"skipped": 1}


def test_the_axis_is_logarithmic_where_values_are_far_apart() -> None:
    found = _by_name(panels(course(1000), 50))
    assert found["grad_norm"].scale == "log"
    assert found["loss"].scale == "linear"
    run = course()
    below_zero = replace(run, epochs=(Epoch(0, 9, {"val_loss": -100.0}),))
    assert _by_name(panels(below_zero, 50))["loss"].scale == "linear"


def test_groups_with_the_same_rate_are_one_curve() -> None:
    run = course()
    rate = run.scalars["lr/0"]
    run = replace(run, scalars={"lr/0": rate, "lr/1": rate.copy(), "lr/2": rate * 0.1})
    names = [one.name for one in _by_name(panels(run, 50))["rate"].curves]
    assert names == ["rate of group 0", "rate of group 2"]


def test_nothing_measured_nothing_shown() -> None:
    run = course(0)
    assert panels(replace(run, epochs=(), scalars={}), 50) == ()


def test_a_metric_that_is_never_finite_is_left_out() -> None:
    run = replace(course(), epochs=(Epoch(0, 9, {"val_acc": float("nan"), "f1": 0.5}),))
    assert "metric:acc" not in _by_name(panels(run, 50))
    assert "metric:f1" in _by_name(panels(run, 50))
