from __future__ import annotations

import pytest

from paramedic.prescribe.remedies.fix_shape import FixShape
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import dose, finding


@pytest.mark.parametrize(
    ("output", "target", "code"),
    [
        ((32,), (32, 1), "loss = loss_fn(output, targets.squeeze(-1))"),
        ((32, 1), (32,), "loss = loss_fn(output.squeeze(-1), targets)"),
        ((32, 1, 1), (32,), "loss = loss_fn(output.flatten(), targets.flatten())"),
    ],
)
def test_the_side_that_has_one_dimension_more_loses_it(
    output: tuple[int, ...], target: tuple[int, ...], code: str
) -> None:
    seen = window(chart=chart_of(1, output_shape=output, target_shape=target))
    found = finding("loss-shape-mismatch", compared_shape=[32, 32])
    given = dose(FixShape(), found, seen)
    assert given.code == code
    assert "[32, 32]" in given.title
