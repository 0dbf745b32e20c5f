"""Operations that cannot leave the finite numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.rows import scalars
from paramedic.prescribe.cure import Cure, Dose, Family, estimate, treats
from paramedic.prescribe.spelling import lines
from paramedic.types import Event, Finding, Window

_GUARDS = {
    "log": "torch.log(x.clamp_min(1e-8))",
    "div": "a / (b + 1e-8)",
    "sqrt": "torch.sqrt(x.clamp_min(1e-12))",
    "exp": "torch.exp(x.clamp(max=30))",
    "pow": "x.clamp_min(1e-8) ** p",
}


@dataclass(frozen=True, slots=True)
class GuardOperation(Cure):
    """Keeps the operation that gave birth to a NaN away from where it is not defined."""

    slug = "guard-operation"
    family = Family.FAULT
    against = treats({"non-finite": estimate(0.8)})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        origin = finding.evidence.get("origin")
        if origin not in ("module", "loss", "gradient"):
            return None
        operation = _operation(window.events)
        guard = next((code for word, code in _GUARDS.items() if word in operation), None)
        where = f"`{finding.where[0]}`" if finding.where else "the place where it was born"
        named = f" ({operation})" if operation else ""
        return Dose(
            title=f"Guard the operation{named} in {where} against zero and overflow",
            code=guard or lines(list(_GUARDS.values())[:2]),
        )


def _operation(events: tuple[Event, ...]) -> str:
    """`log`, `div` … as autograd's record calls it."""
    for event in events:
        if event.kind == "non-finite":
            name = str(event.data.get("operation", ""))
            return name.rstrip("0123456789").removesuffix("Backward").lower()
    return ""


@dataclass(frozen=True, slots=True)
class FullPrecision(Cure):
    """A number format with the range of float32, where a gradient scaler gives away float16."""

    slug = "lower-precision-scale"
    family = Family.FAULT
    against = treats({"non-finite": estimate(0.6)})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        scales = scalars(window, "scale")
        if not len(scales) or not np.any(scales > 1):
            return None
        device = window.chart.device.partition(":")[0]
        return Dose(
            title="Compute in bfloat16, whose range is that of float32, or begin with a smaller "
            f"scale than {scales.max():g}",
            code=f'with torch.autocast("{device}", dtype=torch.bfloat16): output = model(inputs)',
        )
