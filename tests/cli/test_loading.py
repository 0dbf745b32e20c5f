"""Loading the user's code: what is wrong with it is told in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from paramedic.cli.loading import module_of


def test_a_file_and_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_it.py").write_text("value = 3\n")
    (tmp_path / "loaded_file.py").write_text("from neighbour_of_it import value\n")
    assert module_of(str(tmp_path / "loaded_file.py")).value == 3


def test_what_cannot_be_loaded_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="There is no file"):
        module_of(str(tmp_path / "none.py"))
    (tmp_path / "broken_file.py").write_text("1 / 0\n")
    with pytest.raises(ValueError, match="raised ZeroDivisionError"):
        module_of(str(tmp_path / "broken_file.py"))
