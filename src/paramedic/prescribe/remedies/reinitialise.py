"""Weights drawn anew, on a scale that suits the activations."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.diagnose.rows import learns
from paramedic.prescribe.anatomy import BOUNDED, hidden_activations, in_order, is_recurrent
from paramedic.prescribe.cure import Cure, Dose, Family, autotrainer, estimate, listed, treats
from paramedic.prescribe.spelling import path
from paramedic.types import Chart, Finding, Window


@dataclass(frozen=True, slots=True)
class Reinitialise(Cure):
    """He's initialisation for rectifiers, Glorot's for bounded activations, biases at zero."""

    slug = "reinitialise"
    family = Family.ARCHITECTURE
    against = treats(
        {
            "poor-initialization": estimate(0.9),
            "dying-relu": autotrainer(0.24, "S4"),
            "oscillating-loss": autotrainer(1.0, "S4"),
            "slow-convergence": autotrainer(0.33, "S4"),
            "saturated-activation": estimate(0.7),
            "exploding-gradient": estimate(0.6),
            "vanishing-gradient": estimate(0.4),
        }
    )

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        if not window.chart.layers:
            return None
        name, call = _initialiser(window.chart)
        where = f" of {listed(finding.where)}" if finding.where else ""
        return Dose(
            title=f"Draw the weights{where} by {name} initialisation, with biases at zero",
            code=f"for layer in ({', '.join(_paths(window.chart, finding))},):\n"
            "    for weight in layer.parameters():\n"
            f"        {call} if weight.dim() > 1 else nn.init.zeros_(weight)",
            args={"scheme": name},
        )


def _paths(chart: Chart, finding: Finding) -> list[str]:
    """The layers with weights that the finding names, or all of them."""
    layers = [layer for layer in in_order(chart) if learns(layer)]
    named = [layer for layer in layers if layer.name in finding.where] or layers
    return list(dict.fromkeys(path(layer) for layer in named)) or ["model"]


def _initialiser(chart: Chart) -> tuple[str, str]:
    if any(is_recurrent(layer) for layer in chart.layers):
        return "orthogonal", "nn.init.orthogonal_(weight)"
    if hidden_activations(chart, BOUNDED):
        return "Glorot's", "nn.init.xavier_uniform_(weight)"
    return "He's", 'nn.init.kaiming_uniform_(weight, nonlinearity="relu")'
