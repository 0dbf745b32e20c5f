"""Labels brought to where the loss wants them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paramedic.prescribe.cure import Cure, Dose, Family, estimate, short, treats
from paramedic.types import Finding, Window


@dataclass(frozen=True, slots=True)
class FixLabels(Cure):
    """Shifts or scales labels by what was seen of them; else says where to look."""

    slug = "fix-labels"
    family = Family.FAULT
    against = treats({"invalid-labels": estimate(0.8)})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        seen = finding.evidence
        return _shift(seen) or _scale(seen) or _look(seen)


def _shift(seen: Mapping[str, Any]) -> Dose | None:
    if "outputs" not in seen:
        return None
    first = int(seen["smallest"])
    return Dose(
        title=f"Count the classes from 0: the labels begin at {first}",
        code=f"targets = targets - {first}",
        args={"minus": first, "over": 1},
    )


def _scale(seen: Mapping[str, Any]) -> Dose | None:
    if "largest" not in seen:
        return None
    low, high = float(seen["smallest"]), float(seen["largest"])
    minus = f"targets - {short(low)}" if low >= 0 else f"targets + {short(-low)}"
    top = f"({minus})" if low else "targets"
    return Dose(
        title=f"Bring the targets from {short(low)}…{short(high)} to 0…1, as the loss wants them",
        code=f"targets = {top} / {short(high - low)}",
        args={"minus": low, "over": high - low},
    )


def _look(seen: Mapping[str, Any]) -> Dose:
    if "share" in seen:
        return Dose(
            title="Find out where targets that are NaN or infinite come from, or leave them out",
            code="assert torch.isfinite(targets).all(), torch.nonzero(~torch.isfinite(targets))",
        )
    if "batches" in seen or seen.get("value") == -100:
        return Dose(
            title="Find out why the labels are -100, which the loss ignores: masked too much, or "
            "made for another tokeniser",
            code="assert (targets != -100).any(), targets",
        )
    if "changes" in seen:
        return Dose(
            title="Give each sample its own label: all of a batch have the same one",
            code="targets = labels[indices]  # not labels[indices[0]]",
        )
    return Dose(
        title=f"Look at the labels: all are {short(float(seen.get('value', 0)))}",
        code="print(torch.unique(targets, return_counts=True))",
    )
