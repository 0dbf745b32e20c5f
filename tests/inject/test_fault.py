"""The contract of a fault, by one that a user might write."""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
from torch import nn

from paramedic.inject.fault import Fault, InjectionError, setting
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class Shouting(Fault):
    """Everything is louder."""

    slug = "shouting"
    wakes = None
    needs = "nobody spoke"

    factor: float = setting(2.0, "how much")

    def begin(self, site: Site) -> None:
        site.on_input(lambda x: x * self.factor)


def test_settings_say_what_they_mean() -> None:
    (factor,) = fields(Shouting)
    assert (factor.default, factor.metadata["meaning"]) == (2.0, "how much")


def test_most_faults_need_no_check_and_last_a_step() -> None:
    fault = Shouting(3.0)
    fault.check(nn.Identity())
    assert not fault.lasting
    assert not fault.reads_batch
    assert fault.aliases == ()


def test_it_acts_where_it_is_put() -> None:
    model = nn.Identity()
    site = Site(model, [], torch.Generator(), lambda what: None)
    Shouting(3.0).begin(site)
    assert model(torch.ones(1)).item() == 3
    site.close()
    assert model(torch.ones(1)).item() == 1


def test_its_error_is_a_value_error() -> None:
    assert issubclass(InjectionError, ValueError)
