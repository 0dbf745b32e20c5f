from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from paramedic.trace import fresh_path


def test_the_name_is_kept_while_it_is_free(tmp_path: Path) -> None:
    assert fresh_path(tmp_path / "run.db") == tmp_path / "run.db"


def test_a_taken_name_gets_a_number(tmp_path: Path) -> None:
    (tmp_path / "run.db").write_text("precious")
    assert fresh_path(str(tmp_path / "run.db")) == tmp_path / "run-2.db"
    assert fresh_path(tmp_path / "run.db") == tmp_path / "run-3.db"
    assert (tmp_path / "run.db").read_text() == "precious"


def test_parents_are_created(tmp_path: Path) -> None:
    path = fresh_path(tmp_path / "a" / "b" / "run.db")
    assert path.parent.is_dir()


def test_a_directory_gives_a_file_named_by_the_time(tmp_path: Path) -> None:
    first, second = fresh_path(tmp_path), fresh_path(tmp_path)
    assert first.parent == second.parent == tmp_path
    assert re.fullmatch(r"\d{8}-\d{6}\.db", first.name)
    assert first != second


def test_a_name_that_ends_in_a_slash_is_a_directory(tmp_path: Path) -> None:
    path = fresh_path(f"{tmp_path}/runs/")
    assert path.parent == tmp_path / "runs"
    assert path.suffix == ".db"


def test_nobody_gets_the_same_path(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(fresh_path, [tmp_path / "run.db"] * 40))
    assert len(set(paths)) == 40


def test_an_impossible_place_is_left_to_the_writer(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert fresh_path(tmp_path / "file" / "run.db") == tmp_path / "file" / "run.db"
