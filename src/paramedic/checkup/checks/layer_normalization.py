"""C008: normalisations normalise, and deep stacks of attention have some."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paramedic.checkup.attentions import attention_of
from paramedic.checkup.blocks import Stack, stacks_of
from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.normalisers import Normaliser, normalisers_of
from paramedic.checkup.patient import Patient
from paramedic.checkup.words import listed
from paramedic.types import Finding, Severity


@dataclass(frozen=True, slots=True)
class LayerNormalization(Check):
    """Normalisations normalise; without any, the scale must not grow with depth.

    Normalisations are recognised by what they do: the output stays when the input is ten times as
    large. Fails when one divides by the variance instead of its root, when one that is called a
    layer normalisation normalises along another axis than its features, and when a stack of
    `blocks` or more blocks with attention has no normalisation and what goes through it becomes
    `growth` times larger or smaller.
    """

    code = "C008"
    slug = "layer-normalization"

    blocks: int = 4
    growth: float = 10.0
    slack: float = 0.01  # of the size that rows have in common
    share: float = 0.5  # of the rows that may be off: small inputs drown in epsilon

    def run(self, patient: Patient) -> Outcome:
        model = patient.model
        with (
            stacks_of(model, self.blocks) as stacks,
            normalisers_of(model) as found,
            attention_of(model) as attentions,
        ):
            patient.run(model=model)
        places = [one.where for one in attentions]
        deep = [one for one in stacks if _holds(one, places)]
        names = [one.name for one in found]
        bare = [one for one in deep if not _holds(one, names)]
        if not found and not bare:
            raise Skip("the model has no normalisation and no deep stack of attention")
        findings = [self._squared(found), self._uneven(found), *map(self._grown, bare)]
        words = [f"{len(found)} normalisations do what they should"] if found else []
        words += [f"{_told(one)}, without normalisation" for one in bare]
        return self.outcome(f"{'; '.join(words)}.", findings, normalisations=len(found))

    def _squared(self, found: list[Normaliser]) -> Finding | None:
        wrong = [one.name for one in found if one.divides_twice]
        if not wrong:
            return None
        return self.finding(
            f"{listed(wrong)} gives a smaller output for a larger input: it divides by the "
            "variance instead of its root.",
            where=wrong,
        )

    def _uneven(self, found: list[Normaliser]) -> Finding | None:
        wrong = [one for one in found if not one.divides_twice and self._is_off(one)]
        if not wrong:
            return None
        sizes = wrong[0].sizes
        low, high = float(sizes.min()), float(sizes.max())
        return self.finding(
            f"The rows that {listed(one.name for one in wrong)} gives have sizes from {low:.2g} to "
            f"{high:.2g} instead of all the same: it normalises along another axis than its "
            "features.",
            where=[one.name for one in wrong], lowest=low, highest=high,
        )  # fmt: skip

    def _is_off(self, one: Normaliser) -> bool:
        if len(one.sizes) < 2:
            return False
        usual = one.sizes.median()
        off = ((one.sizes - usual).abs() > self.slack * usual).double().mean()
        return float(off) > self.share

    def _grown(self, stack: Stack) -> Finding | None:
        growth = stack.growth
        if math.isfinite(growth) and 1 / self.growth <= growth <= self.growth:
            return None
        return self.finding(
            f"{len(stack.names)} blocks with attention and no normalisation: {_told(stack)}. "
            "Put a layer normalisation before each branch.",
            severity=Severity.WARNING,
            where=stack.names, growth=growth, threshold=self.growth,
        )  # fmt: skip


def _holds(stack: Stack, names: list[str]) -> bool:
    return any(
        name == block or name.startswith(f"{block}.") for block in stack.names for name in names
    )


def _told(stack: Stack) -> str:
    sizes = stack.sizes or [math.nan]
    blocks = f"`{stack.names[0]}` to `{stack.names[-1]}`"
    return f"from {blocks} the scale goes from {sizes[0]:.3g} to {sizes[-1]:.3g}"
