from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import torch

from tests.run.support import EXAMPLES, Seen, under_watch


@pytest.fixture(autouse=True)
def _temporary_traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Traces go to the folder of the test; torch is left as it was."""
    monkeypatch.setenv("PARAMEDIC_HOME", str(tmp_path / "home"))
    generator = torch.get_rng_state()
    yield
    torch.set_rng_state(generator)


@pytest.fixture(scope="session")
def example() -> Callable[[str], Seen]:
    """`example("sick/deep_sigmoid")`, run once under watch for all tests."""

    @cache
    def seen(name: str) -> Seen:
        return under_watch(EXAMPLES / f"{name}.py")

    return seen
