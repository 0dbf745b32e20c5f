"""The contract of a cure: what it treats, what it risks, and how its values follow from a run.

```python
@dataclass(frozen=True, slots=True)
class ZeroGrad(Cure):
    \"\"\"Sets the gradients to zero before each backward pass.\"\"\"

    slug = "zero-grad"
    family = Family.FAULT
    against = treats({"missing-zero-grad": estimate(0.95)})

    def dose(self, finding: Finding, window: Window) -> Dose | None: ...
```

A file in `remedies/` is found by walking the package: adding a cure touches no shared file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar

from paramedic.types import Finding, Remedy, Safety, Window

# What can be done to a live run, and with which arguments: agreed with `treat/live.py`.
ACTIONS: Mapping[str, frozenset[str]] = {
    "skip-step": frozenset(),
    "clip-gradients": frozenset({"max_norm"}),
    "scale-rate": frozenset({"factor"}),
    "raise-dropout": frozenset({"by", "most"}),
    "roll-back": frozenset(),
    "stop": frozenset(),
}


class Family(StrEnum):
    """What a cure changes, in the order in which equals are tried.

    Training Doctor ranks gradient control before regularisation before architecture; what is
    simply wrong is put right before any of them.
    """

    FAULT = "fault"
    GRADIENT = "gradient control"
    REGULARISATION = "regularisation"
    ARCHITECTURE = "architecture"
    LAST_RESORT = "last resort"


@dataclass(frozen=True, slots=True)
class Prior:
    """What was believed before we measured: a share of successes, worth so many repairs.

    How much each kind of belief is worth was chosen on the tuning half of the zoo, by how well it
    foretells a run that is left out: other people's rates tell little of ours.
    """

    mean: float
    source: str
    worth: float


def autotrainer(mean: float, solution: str) -> Prior:
    """A solve rate of AUTOTRAINER's Table 6: many models, but any end of the symptom counted."""
    return Prior(mean, f"AUTOTRAINER's {solution}", 0.5)


def training_doctor(mean: float) -> Prior:
    """A confidence of Training Doctor's: stated there, not counted."""
    return Prior(mean, "Training Doctor", 0.25)


def estimate(mean: float) -> Prior:
    """Nobody has published a number: ours until it is measured."""
    return Prior(mean, "our estimate", 0.5)


def treats(problems: dict[str, Prior]) -> Mapping[str, Prior]:
    """What a cure is against, so that nobody changes it by mistake."""
    return MappingProxyType(problems)


@dataclass(frozen=True, slots=True)
class Dose:
    """What a cure comes to in one run: in words, as a line of code and, where that is possible,
    as an action on the live run.

    `args` are the values it was given: those of the action, or of the code where there is none.
    """

    title: str
    code: str
    action: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)


class Cure(ABC):
    """One way to treat one or more problems. The numbers it is made with are dataclass fields."""

    __slots__ = ()

    slug: ClassVar[str]  # `lower-rate`
    family: ClassVar[Family]
    safety: ClassVar[Safety] = Safety.UNSAFE
    against: ClassVar[Mapping[str, Prior]]  # slugs of problems, and how often it helps

    @abstractmethod
    def dose(self, finding: Finding, window: Window) -> Dose | None:
        """The cure for this finding in this run, or None where it cannot help."""

    def filled(self, dose: Dose, problem: str, confidence: float, ground: str) -> Remedy:
        """A dose as a remedy against a problem."""
        return Remedy(
            slug=self.slug,
            title=dose.title,
            confidence=confidence,
            safety=self.safety,
            action=dose.action,
            args=dose.args,
            code=dose.code,
            ground=ground,
            against=(problem,),
        )


def short(value: float) -> str:
    """A number in few digits, as it stands in a line of code."""
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e5 else f"{value:.3g}"


def rounded(value: float) -> float:
    """Two digits: more would pretend to a precision that no dose has."""
    return float(f"{value:.2g}")


def listed(names: tuple[str, ...], most: int = 3) -> str:
    """Layers by name; more than a few are counted."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest} more" if rest > 0 else shown
