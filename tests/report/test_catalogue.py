from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from paramedic.diagnose.rules import rule_sets, rules
from paramedic.report.catalogue import INDEX, pages, write

FOLDER = Path(__file__).parents[2] / "docs" / "catalogue"


def test_the_pages_in_the_repository_are_fresh() -> None:
    stored = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    made = pages()
    assert sorted(stored) == sorted(made), "run `make catalogue`"
    stale = [name for name in made if made[name] != stored[name]]
    assert stale == [], "run `make catalogue`"


def test_every_detector_and_every_rule_set_has_its_place() -> None:
    made = pages()
    for kind in rules():
        assert f"{kind.slug}.md" in made
        assert f"| {kind.code} | [{kind.slug}]({kind.slug}.md)" in made[INDEX]
    for name in rule_sets()[1:]:
        assert f"(rules-{name}.md)" in made[INDEX]
        for kind in rules(name):
            assert f"## {kind.code} {kind.slug}" in made[f"rules-{name}.md"]


def test_links_lead_somewhere() -> None:
    made = pages()
    broken = {
        (name, link)
        for name, text in made.items()
        for link in re.findall(r"\]\(([^):]+)\)", _without_code(text))
        if link not in made and not (FOLDER / link).exists()
    }
    assert broken == set()


def _without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def test_old_pages_go_and_new_ones_come(tmp_path: Path) -> None:
    (tmp_path / "forgotten.md").write_text("old")
    write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(pages())


@pytest.mark.parametrize("folder", ["deep/er"])
def test_it_runs_as_a_module(tmp_path: Path, folder: str) -> None:
    command = [sys.executable, "-m", "paramedic.report.catalogue", str(tmp_path / folder)]
    subprocess.run(command, check=True, timeout=60)
    assert (tmp_path / folder / INDEX).is_file()
