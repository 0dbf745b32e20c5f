from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from paramedic.checkup.catalogue import checks, choose
from paramedic.checkup.check import Check

NAMES = [
    "parameter-initialization", "forward-shapes", "gradient-flow", "memory",
    "numerical-stability", "attention", "position-embeddings", "layer-normalization",
    "initial-loss", "overfit-one-batch", "sample-independence", "input-dependence",
    "optimizer-coverage", "train-eval-agreement", "labels-fit-loss", "input-scale",
]  # fmt: skip


def test_all_checks_in_the_order_of_their_codes() -> None:
    assert [kind.slug for kind in checks()] == NAMES
    assert [kind.code for kind in checks()] == [f"C{number:03}" for number in range(1, 17)]


@pytest.mark.parametrize("kind", checks(), ids=lambda kind: kind.slug)
def test_every_check_has_a_manual_and_its_own_file(kind: type[Check]) -> None:
    assert kind.__module__.rsplit(".", 1)[1] == kind.slug.replace("-", "_")
    summary = (inspect.getdoc(kind) or "").split("\n\n")[0]
    assert re.fullmatch(r"[A-Z].*\.", summary, re.DOTALL), summary


def test_the_manual_has_them_all() -> None:
    manual = Path(__file__).parents[2] / "docs" / "checkup.md"
    text = manual.read_text(encoding="utf-8")
    for kind in checks():
        assert f"| {kind.code} | `{kind.slug}` |" in text


def test_choosing() -> None:
    assert [one.slug for one in choose(["C003", "memory"])] == ["gradient-flow", "memory"]
    assert len(choose(ignore=["c003"])) == 15
    assert len(choose()) == 16


def test_mistakes_are_told() -> None:
    with pytest.raises(ValueError, match="did you mean `gradient-flow`"):
        choose(["gradient-flo"])
    with pytest.raises(ValueError, match="there are parameter-initialization"):
        choose(["zzzzzz"])
    with pytest.raises(ValueError, match="No check is left"):
        choose(["memory"], ["memory"])
