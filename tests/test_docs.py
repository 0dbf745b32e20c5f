"""The manual: every page is in the navigation of the site, and what pages point to is there."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from paramedic.diagnose.document import SCHEMA
from paramedic.types import Kind, Severity, Verdict

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def test_every_page_can_be_found() -> None:
    listed = set(re.findall(r":\s+(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    pages = {str(page.relative_to(DOCS)) for page in PAGES}
    by_catalogue = {page for page in pages if page.startswith("catalogue/")}
    assert listed <= pages
    assert pages - by_catalogue <= listed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_stay_in_the_manual(page: Path) -> None:
    """The site has nothing else: a strict build fails at a link to a file outside of it."""
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    outside = [one for one in targets if not (page.parent / one).resolve().is_relative_to(DOCS)]
    assert outside == []


def test_the_schema_of_reports_has_the_words_of_the_code() -> None:
    schema = json.loads((DOCS / "report.schema.json").read_text(encoding="utf-8"))
    assert schema["$id"] == schema["properties"]["schema"]["const"] == SCHEMA
    assert schema["$defs"]["verdict"]["enum"] == [str(one) for one in Verdict]
    finding = schema["$defs"]["finding"]["properties"]
    assert (
        finding["kind"]["enum"] == ["symptom", "fault", "suspicion"] == [str(one) for one in Kind]
    )
    for name in ("severity", "severity_if_cause"):
        assert finding[name]["enum"] == [str(one) for one in Severity]


@pytest.mark.skipif(
    importlib.util.find_spec("material") is None,
    reason="needs the extra `docs`, as `make test` has",
)
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """As `make docs` does, which is strict."""
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
        timeout=180, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "site" / "start.html").exists()
