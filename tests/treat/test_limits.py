"""What may be set, and what is said to what may not."""

from __future__ import annotations

from typing import Any

import pytest

from paramedic.treat.limits import ACTIONS, Limits


def test_defaults_and_changes() -> None:
    assert Limits.of(None) == Limits()
    assert Limits.of({"most": 0, "actions": ["skip-step"]}) == Limits(
        most=0, actions=("skip-step",)
    )
    assert Limits.of({"actions": "stop"}).actions == ("stop",)
    assert Limits().actions == ACTIONS


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rollbacks": 1}, "`limits` has no 'rollbacks'; did you mean 'roll_backs'?"),
        ({"zzz": 1}, "`limits` has no 'zzz'; they are actions, "),
        ({"window": 0}, r"`limits\['window'\]` must be a whole number of at least 1 but got 0"),
        ({"most": -1}, "must be a whole number of at least 0 but got -1"),
        ({"most": True}, "but got True"),
        ({"roll_backs": 1.5}, "but got 1.5"),
        ({"spike_ratio": 0}, r"`limits\['spike_ratio'\]` must be a number above 0 but got 0"),
        ({"spike_sigmas": "ten"}, "but got 'ten'"),
        ({"snapshot_every": 0}, "must be a whole number of at least 1 but got 0"),
        ({"actions": ("rollback",)}, "has 'rollback'. Did you mean 'roll-back'?"),
    ],
)
def test_bad_settings(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Limits.of(given)
