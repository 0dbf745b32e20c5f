from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from .harness import Gate


@pytest.fixture(scope="session")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    if sys.platform != "linux":
        pytest.skip("what a process has is read from /proc")
    gate = Gate(tmp_path_factory.mktemp("gate"))
    yield gate
    gate.close()
