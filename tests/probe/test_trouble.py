"""Which arguments of a call were not finite."""

from __future__ import annotations

import torch

from paramedic.probe.trouble import bad_arguments, bad_samples

NAN, INF = float("nan"), float("inf")


def test_the_places_and_the_samples() -> None:
    computed = torch.tensor([[1.0], [INF]], requires_grad=True) * 2
    found = bad_arguments([torch.ones(2), torch.tensor([[NAN], [1.0], [NAN]]), computed])
    assert [(one.place, one.is_leaf, one.samples) for one in found] == [
        (1, True, (0, 2)),
        (2, False, (1,)),
    ]


def test_a_mask_is_meant() -> None:
    assert bad_arguments([torch.tensor([0.0, -INF, -INF])]) == ()
    assert len(bad_arguments([torch.tensor([0.0, INF])])) == 1


def test_what_has_no_samples() -> None:
    assert bad_samples(None) == ()
    assert bad_samples(torch.tensor(NAN)) == ()
