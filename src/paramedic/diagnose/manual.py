"""The manual page of a detector, made from its docstring and from its thresholds.

The docstring is the page: a summary in one sentence, then sections under headings.

```
Gradients shrink by orders of magnitude from the last layer to the first.

## What it looks for
…
```
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from paramedic.diagnose import reference
from paramedic.diagnose.detector import Detector
from paramedic.diagnose.rules import DEFAULT

HEADINGS = ("What it looks for", "Why is this bad?", "Example", "Use instead", "References")

FAMILIES = {
    "G": "gradients",
    "A": "activations",
    "L": "loss curve",
    "D": "data",
    "N": "numerics",
    "O": "optimisation",
    "T": "generalisation",
}
_SPELLED = {"relu": "ReLU"}


@dataclass(frozen=True, slots=True)
class Threshold:
    """One number a user may set."""

    name: str
    default: Any
    meaning: str
    source: str


@dataclass(frozen=True, slots=True)
class Page:
    """What there is to say of one detector."""

    code: str
    slug: str
    summary: str
    sections: Mapping[str, str]
    thresholds: tuple[Threshold, ...]
    needs: tuple[str, ...]
    explains: tuple[str, ...]
    excludes: tuple[str, ...]
    rule_set: str

    @property
    def title(self) -> str:
        """The slug as words: `Vanishing gradient`."""
        words = self.slug.removeprefix("non-").split("-")
        first, *rest = (_SPELLED.get(word, word) for word in words)
        if self.slug.startswith("non-"):
            first = f"non-{first}"
        return " ".join([first[:1].upper() + first[1:], *rest])

    @property
    def family(self) -> str:
        """What kind of sickness it is; the rule set for those that are not ours."""
        if self.rule_set != DEFAULT:
            return self.rule_set
        letters = re.match(r"[A-Za-z]*", self.code)
        return FAMILIES.get(letters[0] if letters else "", "other")


def page_of(kind: type[Detector]) -> Page:
    """The page of a detector; `ValueError` says what its docstring or a threshold lacks."""
    summary, sections = _parsed(kind)
    for heading in HEADINGS:
        if not sections.get(heading, "").strip():
            raise ValueError(f"{_named(kind)} has no section `## {heading}` in its docstring.")
    return Page(
        code=kind.code,
        slug=kind.slug,
        summary=summary,
        sections=sections,
        thresholds=tuple(_thresholds(kind)),
        needs=tuple(sorted(kind.needs)),
        explains=tuple(sorted(kind.explains)),
        excludes=tuple(sorted(kind.excludes)),
        rule_set=rule_set_of(kind),
    )


def summary_of(kind: type[Detector]) -> str:
    """The one sentence."""
    return _parsed(kind)[0]


def rule_set_of(kind: type[Detector]) -> str:
    """The name of the rule set a detector belongs to."""
    before, _, name = kind.__module__.rpartition(".")
    return name.replace("_", "-") if before == reference.__name__ else DEFAULT


def _parsed(kind: type[Detector]) -> tuple[str, dict[str, str]]:
    text = kind.__doc__ or ""
    if text.startswith(f"{kind.__name__}("):  # what `dataclass` writes when nobody else did
        text = ""
    parts = list(_split(inspect.cleandoc(text)))
    summary = " ".join(parts[0][1].split())
    if not summary:
        raise ValueError(f"{_named(kind)} has no docstring that begins with a summary.")
    sections: dict[str, str] = {}
    for heading, body in parts[1:]:
        if heading in sections:
            raise ValueError(f"{_named(kind)} has two sections `{heading}` in its docstring.")
        sections[heading] = body
    return summary, sections


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Heading and body; what stands before the first heading comes with an empty one."""
    heading, fenced = "", False
    body: list[str] = []
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if line.startswith("## ") and not fenced:
            yield heading, "\n".join(body).strip("\n")
            heading, body = line[3:].strip(), []
        else:
            body.append(line.rstrip())
    yield heading, "\n".join(body).strip("\n")


def _thresholds(kind: type[Detector]) -> Iterable[Threshold]:
    defaults = kind().thresholds()
    for one in fields(kind):  # type: ignore[arg-type]
        meaning, source = (str(one.metadata.get(key, "")) for key in ("meaning", "source"))
        if not (meaning and source):
            raise ValueError(
                f"{_named(kind)} does not say what its threshold `{one.name}` means and where it "
                "comes from; write it with `threshold(…)`."
            )
        yield Threshold(one.name, defaults[one.name], meaning, source)


def _named(kind: type[Detector]) -> str:
    return f"The detector {kind.code} ({kind.slug}, {kind.__name__})"
