from __future__ import annotations

from dataclasses import replace

import pytest

from paramedic.diagnose.detectors.wrong_mode import WrongMode
from paramedic.types import Event, Layer, Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import chart_of, window

DETECTOR = WrongMode()


def net(*modes: float, kind: str = "Dropout", frozen: bool = False) -> Window:
    """A body with something that depends on the mode, in these modes at the last frames."""
    layers = [
        Layer("body.fc", "Linear", 40, not frozen),
        Layer("body.telling", kind),
        Layer("head", "Linear", 10),
    ]
    return window(
        layers={"act_training": [[1, mode, 1] for mode in modes]}, chart=chart_of(*layers)
    )


EVALUATION = (0.0,) * DETECTOR.frames


@pytest.mark.parametrize("kind", ["Dropout", "BatchNorm1d", "AlphaDropout", "InstanceNorm2d"])
def test_evaluation_mode_while_training(kind: str) -> None:
    found = fires(DETECTOR, net(1.0, *EVALUATION, kind=kind), Severity.WARNING)
    assert found.where == ("body.telling",)
    assert found.evidence["layers_in_evaluation_mode"] == 1
    assert found.evidence["frames"] == found.evidence["threshold"] == DETECTOR.frames


@pytest.mark.parametrize(
    "healthy",
    [net(*EVALUATION[1:], 1.0), net(*EVALUATION, frozen=True), net(*[1.0] * DETECTOR.frames)],
    ids=["one frame in training mode", "frozen on purpose", "training mode"],
)
def test_silent(healthy: Window) -> None:
    assert judge(DETECTOR, healthy) is None


def test_a_net_that_is_not_all_frozen_around_a_layer_at_the_top() -> None:
    layers = [Layer("drop", "Dropout"), Layer("fc", "Linear", 10)]
    table = {"act_training": [[0, 1]] * DETECTOR.frames}
    fires(DETECTOR, window(layers=table, chart=chart_of(*layers)), Severity.WARNING)


def test_missing() -> None:
    assert "neither dropout nor" in str(reason(DETECTOR, window()))
    assert "neither dropout nor" in str(reason(DETECTOR, net(*EVALUATION, kind="LayerNorm")))
    assert reason(DETECTOR, net(0.0)) == "too few steps were looked at: 1"


def test_anything() -> None:
    bears_anything(DETECTOR)


def _changed(step: int, since: int, *evaluating: str) -> Event:
    return Event(step, "mode", "", {"since": since, "evaluating": list(evaluating)})


def test_a_mode_that_was_read_at_every_step() -> None:
    """The record of all steps counts, whatever the frames happened to show."""
    telling = net(*[1.0] * DETECTOR.frames)
    found = fires(
        DETECTOR, replace(telling, events=(_changed(3, 1, "body.telling"),)), Severity.WARNING
    )
    assert found.where == ("body.telling",)
    assert found.evidence["first_step"] == 1
    assert "since step 1" in found.message
    back = (_changed(3, 1, "body.telling"), _changed(9, 5))
    assert judge(DETECTOR, replace(net(*EVALUATION), events=back)) is None


def test_a_part_that_is_not_in_the_optimizer_may_be_in_evaluation_mode() -> None:
    teacher = Layer("teacher.fc", "Linear", 40, in_optimizer=False)
    layers = [teacher, Layer("teacher.drop", "Dropout"), Layer("head", "Linear", 10)]
    table = {"act_training": [[0, 0, 1]] * DETECTOR.frames}
    assert judge(DETECTOR, window(layers=table, chart=chart_of(*layers))) is None


def test_compiled_models_of_whose_layers_nothing_else_is_seen() -> None:
    layers = [Layer("fc", "Linear", 10), Layer("drop", "Dropout")]
    unseen = window(layers={"grad_norm": [[1, 1]] * 8}, chart=chart_of(*layers))
    assert reason(DETECTOR, unseen) == "too few steps were looked at: 0"
    fires(DETECTOR, replace(unseen, events=(_changed(6, 2, "drop"),)), Severity.WARNING)
