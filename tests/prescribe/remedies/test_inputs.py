from __future__ import annotations

import numpy as np

from paramedic.prescribe.remedies.inputs import DropBadSamples, NormaliseInputs
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import dose, finding


def test_inputs_are_normalised_by_what_was_seen() -> None:
    seen = window(scalars={"input_mean": [127.0, 128.0, 129.0], "input_std": [99.0, 100.0, 101.0]})
    given = dose(NormaliseInputs(), finding("abnormal-data", scale=128.0), seen)
    assert given.args == {"mean": 128.0, "spread": 100.0}
    assert "(inputs - train.mean(0)) / (train.std(0) +" in given.code
    assert "mean 128, spread 100" in given.code


def test_sound_or_integer_inputs_are_left_alone() -> None:
    sound = window(scalars={"input_mean": [0.1] * 3, "input_std": [1.0] * 3})
    assert NormaliseInputs().dose(finding("saturated-activation"), sound) is None
    tokens = window(
        chart=chart_of(1, input_kind="integer"),
        scalars={"input_mean": [500.0] * 3, "input_std": [200.0] * 3},
    )
    assert NormaliseInputs().dose(finding("abnormal-data"), tokens) is None


def test_nan_inputs_are_left_out_not_scaled() -> None:
    seen = window(scalars={"input_mean": [0.0] * 3, "input_std": [1.0] * 3})
    found = finding("abnormal-data", share=0.01)
    assert NormaliseInputs().dose(found, seen) is None
    given = dose(DropBadSamples(), found, seen)
    assert given.code.startswith("keep = torch.isfinite(inputs)")


def test_nan_targets_are_left_out() -> None:
    assert dose(DropBadSamples(), finding("invalid-labels", share=0.1)).args["of"] == "targets"
    born = finding("non-finite", origin="target")
    assert dose(DropBadSamples(), born).args == {"of": "targets", "limit": None}


def test_outliers_are_beyond_three_times_a_usual_batch() -> None:
    high = np.full(20, 4.0)
    high[7] = 1e5
    seen = window(scalars={"input_min": np.full(20, -3.0), "input_max": high})
    given = dose(DropBadSamples(), finding("abnormal-data", outlier=300.0), seen)
    assert given.args == {"of": "inputs", "limit": 12.0}
    assert "< 12" in given.code


def test_wild_targets_where_the_inputs_are_tame() -> None:
    high = np.full(20, 2.0)
    high[3] = 500.0
    tame = {"input_min": np.full(20, -3.0), "input_max": np.full(20, 3.0)}
    seen = window(scalars={**tame, "target_min": np.full(20, -2.0), "target_max": high})
    given = dose(DropBadSamples(), finding("gradient-instability"), seen)
    assert given.args == {"of": "targets", "limit": 6.0}


def test_nothing_to_leave_out() -> None:
    assert DropBadSamples().dose(finding("non-finite", origin="module"), window()) is None
    assert DropBadSamples().dose(finding("gradient-instability"), window()) is None
    tame = window(scalars={"input_min": np.full(20, -3.0), "input_max": np.full(20, 3.0)})
    assert DropBadSamples().dose(finding("abnormal-data"), tame) is None
