from __future__ import annotations

import os
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import limits
from paramedic.experiment.sandbox.limits import Limits, free_memory, memory_of, size_of


def test_a_share_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "free_memory", lambda: 1000)
    assert Limits().fixed() == Limits(memory=900, disk=250)
    assert Limits(memory=7, disk=8).fixed() == Limits(memory=7, disk=8)
    monkeypatch.setattr(limits, "free_memory", lambda: 2**50)
    assert Limits().fixed().disk == 4 * 2**30


def test_memory_that_is_free() -> None:
    assert free_memory() > 0


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc")
def test_what_is_shared_counts_once() -> None:
    block = bytearray(os.urandom(2**20) * 50)
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            os.read(os.pipe()[0], 1)
        children.append(child)
    try:
        quick, exact = memory_of(children, 2**50), memory_of(children, 0)
        assert exact < quick - len(block)
    finally:
        for one in children:
            os.kill(one, 9)
            os.waitpid(one, 0)
    assert memory_of(children, 0) == 0


def test_the_size_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(bytes(100_000))
    assert 100_000 <= size_of(str(tmp_path)) < 200_000
