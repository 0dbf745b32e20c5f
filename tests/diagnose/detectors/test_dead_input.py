from __future__ import annotations

from dataclasses import replace

from paramedic.diagnose.detectors.dead_input import DeadInput
from paramedic.types import Severity, Window
from tests.diagnose.detectors.judging import bears_anything, fires, judge, reason
from tests.diagnose.windows import chart_of, window

DETECTOR = DeadInput()
ALL = [DETECTOR.constant] * DETECTOR.frames
NONE = [0.0] * DETECTOR.frames


def behind(shares: list[float], variance: float) -> Window:
    """Inputs that vary, and units of a first layer that do not; the variance of its weights."""
    scalars = {"input_constant": NONE, "first_constant": shares}
    return window(scalars=scalars, layers={"weight_var": [[variance, variance]]})


def test_no_feature_varies() -> None:
    given = window(scalars={"input_constant": ALL, "input_min": 0.0, "input_max": 1.0})
    found = fires(DETECTOR, given, Severity.CRITICAL)
    assert found.evidence["constant_features"] == found.evidence["threshold"] == DETECTOR.constant
    assert "values from 0 to 1" in found.message


def test_the_values_need_not_be_known() -> None:
    found = fires(DETECTOR, window(scalars={"input_constant": ALL}), Severity.CRITICAL)
    assert "values" not in found.message


def test_all_samples_are_equal_behind_the_first_layer() -> None:
    fires(DETECTOR, behind(ALL, variance=1.0), Severity.CRITICAL)


def test_a_first_layer_of_equal_weights_is_no_fault_of_the_inputs() -> None:
    assert judge(DETECTOR, behind(ALL, variance=0.0)) is None


def test_dead_units_make_all_samples_equal_themselves() -> None:
    frames = DETECTOR.frames
    given = window(
        layers={"weight_var": [[1.0]] * frames, "act_dead": [[1.0]] * frames},
        scalars={"input_constant": [0.0] * frames, "first_constant": 1.0},
    )
    assert judge(DETECTOR, given) is None


def test_one_batch_that_varies_is_enough() -> None:
    assert judge(DETECTOR, window(scalars={"input_constant": [*ALL[1:], 0.99]})) is None
    assert judge(DETECTOR, behind([*ALL[1:], 0.99], variance=1.0)) is None


def test_only_the_latest_frames_count() -> None:
    fires(DETECTOR, window(scalars={"input_constant": [0.5, *ALL]}), Severity.CRITICAL)


def test_missing() -> None:
    assert reason(DETECTOR, window()) == "input_constant: not measured"
    few = reason(DETECTOR, window(scalars={"input_constant": ALL[1:]}))
    assert few == f"too few batches were looked at: {DETECTOR.frames - 1}"


def test_anything() -> None:
    bears_anything(DETECTOR)


def test_a_normalisation_of_one_feature_makes_all_samples_equal_itself() -> None:
    def after(parameters: int) -> Window:
        net = chart_of(("norm", "LayerNorm", parameters), ("mix", "Linear", 40))
        return replace(behind(ALL, variance=1.0), chart=net)

    assert judge(DETECTOR, after(2)) is None
    fires(DETECTOR, after(4), Severity.CRITICAL)
