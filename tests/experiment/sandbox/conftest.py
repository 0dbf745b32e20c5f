from __future__ import annotations

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    """These tests fork a process with torch; the children use none of its threads."""
    item.add_marker(pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"))
