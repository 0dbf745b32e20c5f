from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from paramedic.run import recordings
from paramedic.run.recordings import Recordings, home, tidy
from paramedic.trace import Trace
from tests.run.support import script, under_watch
from tests.run.test_program import ENVIRONMENT
from tests.run.test_watcher import HEAD

TRAIN = "m = net()\ntrain(m, torch.optim.SGD(m.parameters(), 0.1), {steps})\n"


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PARAMEDIC_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "runs"


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _run(runs: Path, number: int, size: int = 0) -> Path:
    """A run of long ago, or of today: the larger the number, the newer."""
    folder = runs / f"20260101-000000-{number:06d}-train"
    folder.mkdir(parents=True)
    (folder / "lock").touch()
    (folder / "run.db").write_bytes(b"x" * size)
    return folder


def test_by_default_it_is_where_the_system_keeps_the_state_of_programs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import platformdirs

    monkeypatch.delenv("PARAMEDIC_HOME")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert home() == platformdirs.user_state_path("paramedic", appauthor=False) / "runs"


def test_only_the_user_can_read_it(runs: Path) -> None:
    runs.mkdir(parents=True, mode=0o755)
    folder = Recordings().new().parent
    assert folder.parent == runs
    assert (_mode(runs), _mode(folder)) == (0o700, 0o700)


def test_the_path_that_is_reported_is_that_of_this_run(runs: Path, tmp_path: Path) -> None:
    for steps in (7, 9):
        seen = under_watch(script(tmp_path, HEAD + TRAIN.format(steps=steps)))
        trace = seen.outcome.records[0].trace
        assert trace is not None
        assert trace.is_relative_to(runs)
        with Trace.open(trace) as found:
            assert found.last_step == steps - 1


def test_trainings_of_one_run_are_beside_each_other(runs: Path, tmp_path: Path) -> None:
    text = HEAD + TRAIN.format(steps=60) + TRAIN.format(steps=70)
    for wanted in (None, tmp_path / "my.db", tmp_path / "my.db"):
        seen = under_watch(script(tmp_path, text), trace=wanted)
        for record in seen.outcome.records:
            assert record.trace is not None
            with Trace.open(record.trace) as found:
                assert found.last_step == record.steps - 1
        names = sorted(one.trace.name for one in seen.outcome.records if one.trace)
        assert names == (["run-2.db", "run.db"] if wanted is None else ["my-2.db", "my.db"])


def test_a_folder_that_was_named_gets_a_file_for_each(tmp_path: Path) -> None:
    named = Recordings(tmp_path)
    assert [named.new(), named.new()] == [tmp_path, tmp_path]


def test_the_oldest_beyond_the_number_go(tmp_path: Path) -> None:
    folders = [_run(tmp_path, number) for number in range(5)]
    tidy(tmp_path, most=3)
    assert [one.exists() for one in folders] == [False, False, True, True, True]


def test_the_oldest_beyond_the_size_go(tmp_path: Path) -> None:
    folders = [_run(tmp_path, number, size=100) for number in range(5)]
    tidy(tmp_path, size=250)
    assert [one.exists() for one in folders] == [False, False, False, True, True]


def test_a_new_run_makes_room(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings.tidy, "__kwdefaults__", {"most": 2, "size": 2**30})
    old = [_run(runs, number) for number in range(3)]
    new = Recordings().new().parent
    assert [one.exists() for one in (*old, new)] == [False, False, True, True]


def test_what_is_in_use_stays(runs: Path) -> None:
    """By this process, and by another one that is at work."""
    own = Recordings().new().parent
    words = "from paramedic.run.recordings import Recordings; print(Recordings().new(), flush=True)"
    process = subprocess.Popen(
        [sys.executable, "-c", f"{words}; input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**ENVIRONMENT, "PARAMEDIC_HOME": str(runs.parent)}, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    theirs = Path(process.stdout.readline().strip()).parent
    tidy(runs, most=0)
    assert (own.exists(), theirs.exists()) == (True, True)
    process.communicate("\n", timeout=60)
    tidy(runs, most=0)
    assert (own.exists(), theirs.exists()) == (True, False)


def test_what_others_keep_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "my-experiment").mkdir()
    (tmp_path / "20260101-000000-000000-mine").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    tidy(tmp_path, most=0, size=0)
    assert len(list(tmp_path.iterdir())) == 3


def test_without_a_home_it_is_a_private_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PARAMEDIC_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = Recordings().new().parent
    assert folder.parent == tmp_path
    assert _mode(folder) == 0o700
    assert os.access(folder, os.W_OK)
