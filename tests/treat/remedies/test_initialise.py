from __future__ import annotations

import torch

from paramedic.treat.remedies.initialise import Initialise
from tests.treat.plans import plan
from tests.treat.remedies.findings import finding


def test_weights_are_drawn_by_the_seed_of_the_plan() -> None:
    weights = [
        Initialise().apply(plan(seed=seed), finding("poor-initialization")).plan.build_model()[0]
        for seed in (0, 0, 1)
    ]
    assert torch.equal(weights[0].weight, weights[1].weight)
    assert not torch.equal(weights[0].weight, weights[2].weight)
