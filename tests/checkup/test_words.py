from __future__ import annotations

import pytest

from paramedic.checkup.words import listed, sized


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], ""),
        (["a"], "`a`"),
        (["a", "b"], "`a` and `b`"),
        (["a", "b", "c"], "`a`, `b` and `c`"),
        (list("abcde"), "`a`, `b`, `c`, `d` and `e`"),
        (list("abcdef"), "`a`, `b`, `c`, `d` and 2 more"),
    ],
)
def test_listed(names: list[str], words: str) -> None:
    assert listed(names) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2.5e6, "2.5 MB"), (7e12, "7e+03 GB")],
)
def test_sized(count: float, words: str) -> None:
    assert sized(count) == words
