"""The four texts of the paper's protocol, as numbers of characters."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import torch
from torch import Tensor
from zoo.data.source import folder, text

TEXTS = {
    "tinyshakespeare": "tinyshakespeare/input.txt.gz",
    "enwik8": "enwik8/enwik8_first2MB.txt.gz",
    "wikitext2": "wikitext2/valid.txt.gz",
    "gutenberg": "gutenberg/moby_dick.txt.gz",
}
DRAWN = "drawn"  # a text that needs no file, for the smoke test
LENGTH = 500_000  # characters that are read of each
ALPHABET = 96  # the most frequent characters; all others share the last number
VALIDATION = 0.1  # the end of each text


def missing() -> list[str]:
    """The texts whose files are not there."""
    return [name for name, file in TEXTS.items() if not (Path(folder()) / file).exists()]


@cache
def parts(name: str) -> dict[str, Tensor]:
    """`train` and `validation` of a text."""
    found = _drawn() if name == DRAWN else text(TEXTS[name])[:LENGTH]
    common = [character for character, _ in Counter(found).most_common(ALPHABET - 1)]
    numbers = {character: number for number, character in enumerate(common)}
    ids = torch.tensor([numbers.get(character, ALPHABET - 1) for character in found])
    cut = round(len(ids) * (1 - VALIDATION))
    return {"train": ids[:cut], "validation": ids[cut:]}


def _drawn() -> str:
    """Words drawn at random: something that can be learned, without a file."""
    words = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "and", "runs"]
    order = torch.randint(len(words), (4000,), generator=torch.Generator().manual_seed(5))
    return " ".join(words[place] for place in order.tolist())


def batch(name: str, part: str, size: int, block: int, seed: int) -> tuple[Tensor, Tensor]:
    """Pieces of a text, and the same one character later; the same seed gives the same ones."""
    ids = parts(name)[part]
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(ids) - block, (size, 1), generator=generator)
    pieces = ids[starts + torch.arange(block + 1)]
    return pieces[:, :-1], pieces[:, 1:]
