"""The one contract: what a fault is.

A fault is a frozen dataclass whose fields are its settings. It says what it does to a patient
when it begins; whatever it puts up there is taken away again when it ends:

```python
@dataclass(frozen=True, slots=True)
class ExplodingGradient(Fault):
    \"\"\"Every gradient is many times too large.\"\"\"

    slug = "exploding-gradient"
    wakes = "exploding-gradient"
    factor: float = setting(20.0, "what every gradient is multiplied by")

    def begin(self, site: Site) -> None: ...
```
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from torch import nn

if TYPE_CHECKING:
    from paramedic.inject.site import Site


class InjectionError(ValueError):
    """A fault that does not exist, cannot be put into this model, or had nothing to act on."""


def setting(default: Any, meaning: str) -> Any:
    """A field of a fault: its default and what it means."""
    return field(default=default, metadata={"meaning": meaning})


class Fault(ABC):
    """One way to be sick."""

    __slots__ = ()

    slug: ClassVar[str]
    wakes: ClassVar[str | None]  # the detector that must find it; None if none can
    neighbours: ClassVar[frozenset[str]] = frozenset()  # what may be found in its stead
    aliases: ClassVar[tuple[str, ...]] = ()
    lasting: ClassVar[bool] = False  # stays to the end unless told otherwise; else one step
    reads_batch: ClassVar[bool] = False  # works on what goes through `injection.batch`
    needs: ClassVar[str]  # what has to happen in a step for it to act

    def check(self, model: nn.Module) -> None:
        """Raise `InjectionError` if this model cannot have this fault."""
        return

    @abstractmethod
    def begin(self, site: Site) -> None:
        """Make the patient sick, from the coming step on."""
