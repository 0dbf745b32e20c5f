"""Sessions: attempts have numbers and folders, plans have fingerprints, cost is counted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from torch import nn

from paramedic.reading import Unreadable
from paramedic.treat.heal.attempt import Attempt, Watchfulness
from paramedic.treat.heal.options import Options
from paramedic.treat.heal.session import Session, fingerprint
from tests.treat.heal.legs import TREATMENT
from tests.treat.plans import network, plan, points


def test_attempts_are_numbered_and_counted(tmp_path: Path) -> None:
    whole = plan(epochs=2)
    session = Session(whole, Options(), tmp_path, None)
    first = session.attempt(whole)
    second = session.attempt(whole.replace(batch_size=32), TREATMENT, first)
    assert second.folder == tmp_path / "attempt-01-adam"
    assert second.parent == 0
    session.advance(first, 8, Watchfulness())
    session.advance(second, 2, Watchfulness())
    assert session.cost == (8 * 16 + 2 * 32) / (32 * 16)


def test_plans_are_told_apart() -> None:
    same = {fingerprint(plan()), fingerprint(plan())}
    assert len(same) == 1
    others = [plan(epochs=9), plan(model=network(nn.Tanh)), plan(train=points(seed=9))]
    assert len(same | {fingerprint(one) for one in others}) == 4


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is a file"):
        Session(plan(), Options(), tmp_path / "file", None)
    (tmp_path / "heal.json").write_text("{")
    with pytest.raises(ValueError, match=r"heal.json` is damaged: .* Use another folder"):
        Session(plan(), Options(), tmp_path, None)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
def test_a_folder_with_pipes_in_it(tmp_path: Path) -> None:
    """Nobody waits for what will never be written, and nothing is put in its place."""
    os.mkfifo(tmp_path / "heal.json")
    with pytest.raises(ValueError, match=r"heal.json` is not a regular file"):
        Session(plan(), Options(), tmp_path, None)
    (tmp_path / "heal.json").unlink()
    session = Session(plan(), Options(), tmp_path, None)
    folder = session.attempt(plan()).folder
    assert folder is not None
    folder.mkdir()
    os.mkfifo(folder / "checkpoint.safetensors")
    with pytest.raises(ValueError, match="is not a regular file"):
        _ = Attempt(0, None, folder=folder).training
    os.mkfifo(folder / "record.json")
    with pytest.raises(Unreadable, match=r"record.json` is not a regular file"):
        Attempt(0, None, folder=folder)
