from __future__ import annotations

import pytest

from paramedic.diagnose.modes import depends_on_mode, last_change
from paramedic.types import Event
from tests.diagnose.windows import window


@pytest.mark.parametrize("kind", ["Dropout2d", "FeatureAlphaDropout", "SyncBatchNorm"])
def test_layers_that_depend_on_the_mode(kind: str) -> None:
    assert depends_on_mode(kind)


@pytest.mark.parametrize("kind", ["Linear", "LayerNorm", "ReLU"])
def test_layers_that_do_not(kind: str) -> None:
    assert not depends_on_mode(kind)


def test_the_last_change() -> None:
    first, last = Event(3, "mode", ""), Event(8, "mode", "")
    assert last_change(window(events=[first, last, Event(9, "chart", "")])) is last
    assert last_change(window()) is None
