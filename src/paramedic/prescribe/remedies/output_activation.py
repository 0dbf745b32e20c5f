"""The function at the end of the net, made to fit the loss."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.anatomy import in_order
from paramedic.prescribe.cure import Cure, Dose, Family, autotrainer, treats
from paramedic.prescribe.spelling import path
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
        place = _place(window.chart, function)
        if wanted is None:
            title = f"Take the {function} away from the end of the net{last}"
            code = f"{place} = nn.Identity()" if place else _functional(function)
        elif old is None:
            title = f"End the net in {wanted}{last}"
            code = f"model = nn.Sequential(model, {wanted})"
        else:
            title = f"End the net in {wanted} instead of {old}{last}"
            code = f"{place} = {wanted}" if place else _functional(function, wanted)
        return Dose(title, code, args={"function": wanted or "nn.Identity()"})


def _place(chart: Chart, function: str) -> str:
    """The module that computes the function at the end; empty if it is called in `forward`."""
    layers = in_order(chart)
    ends = bool(function) and bool(layers) and layers[-1].activation == function
    return path(layers[-1]) if ends else ""


def _functional(function: str, wanted: str = "") -> str:
    better = f"{wanted} in its place" if wanted else "as it is"
    return f"# in forward: return what goes into {function}(…), {better}"


def _last(chart: Chart) -> str:
    layers = in_order(chart)
    return f" (its last layer is `{layers[-1].name}`)" if layers else ""
