"""What `watch` accepts for treatment, and what it says to what it does not."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import paramedic


def _pair() -> tuple[nn.Linear, torch.optim.Optimizer]:
    model = nn.Linear(3, 2)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


@pytest.mark.parametrize(
    ("settings", "kind", "words"),
    [
        ({"treat": "atuo"}, ValueError, "`treat` must be one of .* Did you mean 'auto'?"),
        ({"treat": "ask", "on_remedy": 3}, TypeError, "`on_remedy` must be a function"),
        ({"on_remedy": bool}, ValueError, "only asked with `treat='ask'` but `treat` is 'off'"),
        ({"treat": "auto", "limits": {"moost": 1}}, ValueError, "did you mean 'most'?"),
    ],
)
def test_bad_settings_fail_when_attached(
    settings: dict[str, Any], kind: type[Exception], words: str
) -> None:
    backward = torch.autograd.backward
    with pytest.raises(kind, match=words):
        paramedic.watch(*_pair(), **settings)
    assert torch.autograd.backward is backward


@pytest.mark.parametrize("treat", ["off", "ask", "auto"])
def test_switched_off_by_the_environment(treat: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAMEDIC", "off")
    with paramedic.watch(*_pair(), treat=treat) as monitor:
        assert monitor.undo() is None
        assert not monitor.should_stop
        assert monitor.interventions == ()
        assert monitor.verdict == "cannot tell"
        assert "too few losses" in str(monitor.condition)
        assert monitor.summary().step == -1


def test_the_default_is_off() -> None:
    with paramedic.watch(*_pair()) as monitor:
        assert not monitor._attendant.acts
