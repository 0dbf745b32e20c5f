"""The one contract: what a detector is.

A detector is a frozen dataclass whose fields are its thresholds, so that they show up in the
documentation, in the configuration, on the command line and in JSON without more code:

```python
@dataclass(frozen=True, slots=True)
class SilentLayer(Detector):
    \"\"\"What it looks for …\"\"\"

    code = "X001"
    slug = "silent-layer"
    needs = frozenset({"act_var"})
    quiet: float = threshold(1e-12, "variance below which a layer is silent", source="…")

    def examine(self, window: Window) -> Finding | None: ...
```

It is pure: it reads a `Window`, returns a `Finding` or None, keeps no state and imports no torch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import field, fields
from typing import Any, ClassVar

from paramedic.types import Finding, Kind, Remedy, Severity, Window


def threshold(default: Any, meaning: str, *, source: str) -> Any:
    """A field of a detector: its default, what it means, and where the number comes from."""
    return field(default=default, metadata={"meaning": meaning, "source": source})


class Detector(ABC):
    """Recognises one sickness.

    The docstring of a subclass is its manual page; it has the sections `What it looks for`,
    `Why is this bad?`, `Example`, `Use instead` and `References`.
    """

    __slots__ = ()

    code: ClassVar[str]  # `G001`, never reused
    slug: ClassVar[str]  # `vanishing-gradient`
    kind: ClassVar[Kind] = Kind.SUSPICION  # what its findings are worth as statements
    needs: ClassVar[frozenset[str]] = frozenset()  # statistics that the probe must measure
    explains: ClassVar[frozenset[str]] = frozenset()  # slugs that this sickness brings about
    excludes: ClassVar[frozenset[str]] = frozenset()  # slugs that cannot be true beside it
    patience: ClassVar[int] = 2  # examinations in a row that must agree before it is told
    by_epoch: ClassVar[bool] = False  # reads epochs only: examined when one has ended
    lasting: ClassVar[bool] = False  # stays true once seen, like the way a net was initialised

    def missing(self, window: Window) -> str | None:
        """Why this window is not enough to judge by, or None if it is."""
        return None

    @abstractmethod
    def examine(self, window: Window) -> Finding | None:
        """The finding, or None. Only called with windows in which nothing is missing."""

    def prescribe(self, finding: Finding) -> Iterable[Remedy]:
        """What may help against a finding of this detector."""
        return ()

    def finding(  # noqa: PLR0913 - the fields of a finding
        self,
        window: Window,
        message: str,
        *,
        severity: Severity = Severity.WARNING,
        confidence: float,
        where: Iterable[str] = (),
        explains: frozenset[str] | None = None,
        kind: Kind | None = None,
        **evidence: Any,
    ) -> Finding:
        """A finding of this detector at the newest step of the window.

        `explains` narrows down what this one brings about, where less is certain than usual;
        `kind` is another than the detector's where this one is more or less certain.
        """
        return Finding(
            code=self.code,
            slug=self.slug,
            severity=severity,
            confidence=confidence,
            message=message,
            step=window.last_step,
            where=tuple(where),
            evidence=evidence,
            explains=tuple(sorted(self.explains if explains is None else explains)),
            kind=kind or self.kind,
        )

    def thresholds(self) -> dict[str, Any]:
        """The thresholds by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
