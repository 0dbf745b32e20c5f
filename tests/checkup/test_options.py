from __future__ import annotations

from typing import Any

import pytest

from paramedic.checkup.options import Options


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"forward": 3}, "`forward` must be a function of the model and the batch but got int"),
        ({"batch_axis": 2}, "`batch_axis` must be 0, 1 or None but got 2"),
        ({"memory_limit": 0}, "`memory_limit` must be a positive number of bytes but got 0"),
        ({"seconds": -1.0}, "`seconds` must be positive but got -1"),
    ],
)
def test_bad_values_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        Options(**settings)
