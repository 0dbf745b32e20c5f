from __future__ import annotations

import pytest

from paramedic.probe.showing import chosen
from paramedic.report.display import Terminal


def test_what_display_means(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(False) is None
    assert isinstance(chosen(True), Terminal)
    mine = Terminal()
    assert chosen(mine) is mine
    with pytest.raises(TypeError, match="must be True, False or something with the methods"):
        chosen("yes")  # type: ignore[arg-type]
    monkeypatch.setenv("PARAMEDIC", "off")
    assert chosen(True) is None
