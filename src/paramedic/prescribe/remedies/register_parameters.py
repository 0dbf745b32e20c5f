"""Parameters that learn because the optimizer knows them and a gradient reaches them."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.cure import Cure, Dose, Family, estimate, listed, short, treats
from paramedic.prescribe.pace import rate
from paramedic.prescribe.spelling import lines, optimizer_line, path
from paramedic.types import Finding, Window


@dataclass(frozen=True, slots=True)
class RegisterParameters(Cure):
    """Hands forgotten parameters to the optimizer, with a rate, and lets gradients through."""

    slug = "register-parameters"
    family = Family.FAULT
    against = treats({"untrained-parameters": estimate(0.9)})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        where = listed(finding.where)
        reason = finding.evidence.get("reason")
        if reason == "gradient":
            return Dose(
                title=f"Let the gradient reach {where}: something before it detaches",
                code="output = model(inputs)  # without .detach(), .data or torch.no_grad()",
                args={"reason": reason},
            )
        if reason == "movement":
            now = rate(window)
            return Dose(
                title=f"Give {where} a learning rate: its group has none",
                code=f'optimizer.param_groups[-1]["lr"] = {short(now) if now else "learning_rate"}',
                args={"reason": reason},
            )
        return Dose(
            title=f"Hand {where} to the optimizer",
            code=_handed(finding, window),
            args={"reason": "optimizer"},
        )


def _handed(finding: Finding, window: Window) -> str:
    named = [layer for layer in window.chart.layers if layer.name in finding.where]
    if len(named) == 1:
        return f'optimizer.add_param_group({{"params": {path(named[0])}.parameters()}})'
    if window.chart.optimizers and window.chart.optimizers[0].get("groups", 1) == 1:
        return f"{optimizer_line(window)}  # all of them"
    return lines(
        f'optimizer.add_param_group({{"params": {path(layer)}.parameters()}})' for layer in named
    )
