from __future__ import annotations

import os
import sys

import pytest

if sys.platform != "linux":
    pytest.skip("namespaces of Linux", allow_module_level=True)

from paramedic.experiment.sandbox import How, namespaces
from tests.experiment.sandbox.forked import forked
from tests.experiment.sandbox.world import require


def test_the_user_is_the_same_and_has_no_network() -> None:
    require(How.NAMESPACES)
    before = os.geteuid(), os.getegid()

    def inside() -> object:
        namespaces.enter(2**20, ())
        with open("/proc/net/dev") as file:
            names = [line.split(":")[0].strip() for line in file if ":" in line]
        return (os.geteuid(), os.getegid()), names

    assert forked(inside) == (0, str((before, ["lo"])))


def test_what_is_not_allowed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """No half-made view: whoever enters is told."""
    require(How.NAMESPACES)

    def refuse(flags: int) -> None:
        raise PermissionError(1, "not allowed", "unshare")

    monkeypatch.setattr(namespaces.linux, "unshare", refuse)
    with pytest.raises(PermissionError, match="not allowed"):
        namespaces.enter(2**20, ())
