"""Which lines of the user's source a finding is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from paramedic.run.culprits import culprits
from paramedic.run.places import Place
from paramedic.types import Finding

OPTIMIZER, LOSS, BACKWARD, STEP, MODEL, MODE = (
    "optimizer", "loss", "backward", "step", "model", "mode"
)  # fmt: skip
LAYERS = "layers"  # those that the finding names
_MOST_LAYERS = 5

# What to look at, the most telling first. The rest of the places comes after it.
_TELLING: dict[str, tuple[str, ...]] = {
    "learning-rate-too-high": (OPTIMIZER,),
    "learning-rate-too-low": (OPTIMIZER,),
    "oscillating-loss": (OPTIMIZER,),
    "slow-convergence": (OPTIMIZER,),
    "gradient-instability": (OPTIMIZER, LOSS),
    "loss-explosion": (OPTIMIZER, LOSS),
    "untrained-parameters": (OPTIMIZER, LAYERS),
    "missing-zero-grad": (BACKWARD, STEP),
    "wrong-mode": (MODE, BACKWARD),
    "improper-loss": (LOSS, BACKWARD),
    "loss-shape-mismatch": (LOSS, BACKWARD),
    "invalid-labels": (LOSS, BACKWARD),
    "uninformative-labels": (LOSS, BACKWARD),
    "abnormal-data": (MODEL,),
    "dead-input": (MODEL,),
    "improper-output-activation": (LAYERS, LOSS),
    "too-few-steps": (BACKWARD,),
    "no-more-gain": (BACKWARD,),
    "loss-plateau": (LOSS, OPTIMIZER),
    "overfitting": (LAYERS, BACKWARD),
}
_OTHERS = (LAYERS, LOSS, OPTIMIZER, BACKWARD)
_ORIGINS = {"loss": (LOSS,), "target": (LOSS,), "input": (MODEL,)}  # of a value that is not finite


def sources(
    finding: Finding, layers: Mapping[str, Place], places: Mapping[str, Place]
) -> list[Place]:
    """The lines for a finding, without repetition: first what the source itself gives away."""
    found = (*_all(finding, layers, places),)
    first = culprits(finding, layers, places)
    # A module that computes the function at the end is the culprit, and not a call elsewhere.
    named = finding.slug == "improper-output-activation" and bool(finding.where)
    ordered = (*found, *first) if named else (*first, *found)
    lines: dict[tuple[str, int], Place] = {}
    for place in ordered:  # the source itself does not tell a function as the interpreter does
        lines.setdefault((place.file, place.line), place)
    return list(lines.values())


def _all(
    finding: Finding, layers: Mapping[str, Place], places: Mapping[str, Place]
) -> Iterator[Place]:
    origin = str(finding.evidence.get("origin", ""))
    telling = _ORIGINS.get(origin) or _TELLING.get(finding.slug, (LAYERS,))
    for kind in dict.fromkeys((*telling, *_OTHERS)):
        if kind == LAYERS:
            named = [place for name in finding.where if (place := _of_layer(name, layers))]
            yield from list(dict.fromkeys(named))[:_MOST_LAYERS]
        elif kind in places:
            yield places[kind]


def _of_layer(name: str, layers: Mapping[str, Place]) -> Place | None:
    """Where a layer was made, or the nearest module around it (a copied part has no line)."""
    while name and name not in layers:
        name = name.rpartition(".")[0]
    return layers.get(name)
