from __future__ import annotations

import pytest

from paramedic.optional import require


def test_a_missing_extra_says_what_to_install() -> None:
    with pytest.raises(ImportError, match=r"pip install 'paramedic\[arrow\]'"):
        require("surely_not_installed", extra="arrow", needed_by="export")


def test_a_present_one_is_returned() -> None:
    assert require("json", extra="x", needed_by="y").dumps([1]) == "[1]"
