from __future__ import annotations

from torch import nn

from paramedic.treat.remedies.normalise_activations import NormaliseActivations
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding

VANISHING = finding("vanishing-gradient")


def _kinds(model: nn.Module) -> list[str]:
    return [type(one).__name__ for one in model.modules() if not list(one.children())]


def test_normalisation_follows_the_size_of_the_batches() -> None:
    treated = NormaliseActivations().apply(plan(batch_size=1), VANISHING)
    assert "LayerNorm" in _kinds(treated.plan.build_model())
