"""Parameters that learn because the optimizer knows them and a gradient reaches them."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.cure import Cure, Dose, Family, estimate, listed, short, treats
from paramedic.prescribe.pace import rate
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
                code="x = body(x)  # without .detach(), torch.no_grad() or .item()",
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
            code="optimizer = torch.optim.Adam(model.parameters(), …)  # all of them"
            if len(finding.where) != 1
            else f'optimizer.add_param_group({{"params": model.get_submodule('
            f'"{finding.where[0]}").parameters()}})',
            args={"reason": "optimizer"},
        )
