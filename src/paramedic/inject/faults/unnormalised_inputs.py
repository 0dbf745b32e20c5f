"""Inputs that nobody has brought to a common scale."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from paramedic.inject.fault import Fault, setting
from paramedic.inject.site import Site


@dataclass(frozen=True, slots=True)
class UnnormalisedInputs(Fault):
    """The inputs come on another scale and far from zero, as pixels do that nobody has divided.

    It must wake `abnormal-data`. Tokens have no scale and are left alone.
    """

    slug = "unnormalised-inputs"
    wakes = "abnormal-data"
    neighbours = frozenset({"exploding-gradient", "loss-explosion", "learning-rate-too-high"})
    lasting = True
    needs = "the model was not called with real numbers, with gradients enabled"

    factor: float = setting(100.0, "what the inputs are multiplied by")
    offset: float = setting(128.0, "what is then added")

    def begin(self, site: Site) -> None:
        def raw(inputs: Tensor) -> Tensor:
            if not inputs.is_floating_point():
                return inputs
            site.tell(f"the inputs times {self.factor:g} plus {self.offset:g}")
            return inputs * self.factor + self.offset

        site.on_input(raw)
