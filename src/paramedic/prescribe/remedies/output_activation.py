"""The function at the end of the net, made to fit the loss."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.anatomy import in_order
from paramedic.prescribe.cure import Cure, Dose, Family, autotrainer, treats
from paramedic.types import Chart, Finding, Window

_MODULES = {
    "softmax": "nn.Softmax(dim=-1)",
    "sigmoid": "nn.Sigmoid()",
    "relu": "nn.ReLU()",
    "tanh": "nn.Tanh()",
    "softplus": "nn.Softplus()",
}
# Losses that want something of their own; all others take the last linear layer as it is.
_WANTED = {"binary-cross-entropy": "nn.Sigmoid()", "nll": "nn.LogSoftmax(dim=-1)"}


@dataclass(frozen=True, slots=True)
class OutputActivation(Cure):
    """Ends the net in what its loss takes: logits, probabilities or numbers."""

    slug = "output-activation"
    family = Family.FAULT
    against = treats({"improper-output-activation": autotrainer(1.0, "S2")})

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        function = str(finding.evidence.get("output_function", ""))
        wanted = _WANTED.get(window.chart.loss or "")
        old = _MODULES.get(function)
        last = _last(window.chart)
        if wanted is None:
            title = f"Take the {function} away from the end of the net{last}"
            code = f"{old or function} → nn.Identity()"
        elif old is None:
            title = f"End the net in {wanted}{last}"
            code = f"model = nn.Sequential(model, {wanted})"
        else:
            title = f"End the net in {wanted} instead of {old}{last}"
            code = f"{old} → {wanted}"
        return Dose(title, code, args={"function": wanted or "nn.Identity()"})


def _last(chart: Chart) -> str:
    layers = in_order(chart)
    return f" (its last layer is `{layers[-1].name}`)" if layers else ""
