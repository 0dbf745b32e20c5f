"""Weights drawn anew, on a scale that suits the activations."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.anatomy import BOUNDED, hidden_activations, is_recurrent
from paramedic.prescribe.cure import Cure, Dose, Family, autotrainer, estimate, listed, treats
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
            code=f"{call}; nn.init.zeros_(layer.bias)",
            args={"scheme": name},
        )


def _initialiser(chart: Chart) -> tuple[str, str]:
    if any(is_recurrent(layer) for layer in chart.layers):
        return "orthogonal", "nn.init.orthogonal_(layer.weight)"
    if hidden_activations(chart, BOUNDED):
        return "Glorot's", "nn.init.xavier_uniform_(layer.weight)"
    return "He's", 'nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")'
