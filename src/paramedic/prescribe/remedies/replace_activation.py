"""Other functions between the layers."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.prescribe.anatomy import BOUNDED, RECTIFIERS, carriers, hidden_activations
from paramedic.prescribe.cure import Cure, Dose, Family, autotrainer, estimate, listed, treats
from paramedic.prescribe.remedies.add_normalisation import FLAT, AddNormalisation, made
from paramedic.prescribe.spelling import lines, path
from paramedic.types import Chart, Finding, Layer, Window

# Problem: the activations to replace, and by what.
_BY: dict[str, tuple[frozenset[str], str]] = {
    "vanishing-gradient": (BOUNDED, "ReLU"),
    "saturated-activation": (BOUNDED, "ReLU"),
    "dying-relu": (RECTIFIERS, "LeakyReLU"),
    "exploding-gradient": (RECTIFIERS, "Tanh"),
}


@dataclass(frozen=True, slots=True)
class ReplaceActivation(Cure):
    """Puts an activation that lets gradients through in the place of one that does not.

    Where many rectifiers follow each other they get a normalisation each: torch's own
    initialisation shrinks the signal to 0.4 at each of them.
    """

    slug = "replace-activation"
    family = Family.ARCHITECTURE
    against = treats(
        {
            "vanishing-gradient": autotrainer(0.91, "S2"),
            "exploding-gradient": autotrainer(0.92, "S2"),
            "dying-relu": autotrainer(1.0, "S2"),
            "saturated-activation": estimate(0.7),
        }
    )

    deep: int = 4  # rectifiers in a row that torch's own initialisation bears

    def dose(self, finding: Finding, window: Window) -> Dose | None:
        kinds, better = _BY[finding.slug]
        found = hidden_activations(window.chart, kinds)
        if not found:
            return None
        old = _usual([layer.kind for layer in found])
        chosen = _named(found, finding.where)
        names = tuple(layer.name for layer in chosen)
        deep = better == "ReLU" and len(found) > self.deep
        norm = AddNormalisation().dose(finding, window) if deep else None
        title = f"Replace nn.{old} by nn.{better} in {listed(names)}"
        values = {"old": old, "new": better, "layers": list(names)}
        if norm is None:
            code = lines(f"{path(one)} = nn.{better}()" for one in chosen)
            return Dose(title, code, args=values)
        kind = norm.args["kind"]
        return Dose(
            title=f"{title}, with nn.{kind} before each",
            code=lines(_normalised(window.chart, one, kind, better) for one in chosen),
            args={**values, "norm": kind, "after": norm.args["layers"]},
        )


def _normalised(chart: Chart, activation: Layer, kind: str, better: str) -> str:
    """The line that puts a normalisation of the right size and a function in its place."""
    before = [one for one in carriers(chart) if one.order < activation.order]
    place = path(activation)
    if not before or before[-1].kind not in FLAT:
        return f"{place} = nn.{better}()"
    return f"{place} = nn.Sequential({made(kind, before[-1])}, nn.{better}())"


def _usual(kinds: list[str]) -> str:
    return max(set(kinds), key=lambda kind: (kinds.count(kind), kind))


def _named(found: tuple[Layer, ...], where: tuple[str, ...]) -> tuple[Layer, ...]:
    """The activations that the finding names, or all of them."""
    return tuple(layer for layer in found if layer.name in where) or found
