"""What the tests of the parts share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from paramedic.checkup.preserving import preserved


@pytest.fixture
def as_in_a_check() -> Iterator[None]:
    """The settings under which checks are run: no warnings, no fast paths."""
    with preserved():
        yield
