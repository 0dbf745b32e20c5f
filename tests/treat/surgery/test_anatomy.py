from __future__ import annotations

import torch
from torch import nn

from paramedic.treat.surgery.anatomy import Anatomy
from paramedic.treat.surgery.survey import survey
from tests.treat.surgery.architectures import ARCHITECTURES


def _anatomy(name: str) -> Anatomy:
    return Anatomy(survey(ARCHITECTURES[name].model(), ARCHITECTURES[name].batch()))


def test_a_gate_is_not_hidden_but_what_it_opens_is() -> None:
    assert [(site.kind, site.name) for site in _anatomy("squeeze-excite").hidden()] == [
        ("relu", "act"),
        ("relu", ""),
    ]


def test_attention_and_routing_are_not_hidden() -> None:
    assert {site.kind for site in _anatomy("attention-stack").hidden()} == {"gelu"}
    assert {site.kind for site in _anatomy("experts").hidden()} == {"relu"}


def test_the_output_is_found_behind_changes_of_shape() -> None:
    site = _anatomy("deep-sets").output_site()
    assert site is not None
    assert (site.kind, site.name) == ("sigmoid", "all.3")
    assert _anatomy("mlp").output_site() is None


def test_calls_in_code_are_counted() -> None:
    sites = _anatomy("methods").sites()
    assert [(site.kind, site.place) for site in sites] == [("relu", 0), ("relu", 1), ("sigmoid", 2)]


def test_what_feeds_and_what_follows() -> None:
    anatomy = _anatomy("resnet")
    first = anatomy.calls("1.conv1")[0]
    assert anatomy.activation_after(first) == "relu"
    relu = next(site for site in anatomy.sites() if site.name == "1").steps[0]
    assert [step.name for step in anatomy.upstream(relu)] == ["1.norm1"]
    last = anatomy.calls("5")[0]
    assert anatomy.activation_after(last) is None


def test_a_shared_module_is_one_site_with_many_calls() -> None:
    (site,) = _anatomy("shared-activation").sites()
    assert len(site.steps) == 2
    assert site.is_module
    assert site.label(nn.Identity()) == "act"
    assert torch.Size(site.steps[1].shape) == torch.Size((5, 12))
