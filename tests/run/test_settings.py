from __future__ import annotations

import pytest

from paramedic.run.settings import Settings


def test_no_steps_are_too_few() -> None:
    assert Settings(max_steps=1).max_steps == 1
    with pytest.raises(ValueError, match="at least 1 but got 0"):
        Settings(max_steps=0)
