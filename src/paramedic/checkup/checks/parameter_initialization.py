"""C001: weights that were never drawn, or drawn on the wrong scale."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.patient import Patient
from paramedic.checkup.products import Product, Products
from paramedic.checkup.rectifiers import Rectifiers
from paramedic.checkup.words import listed
from paramedic.types import Finding

_STEPS = 3


@dataclass(frozen=True, slots=True)
class ParameterInitialization(Check):
    """Weights are finite, differ from each other, and have a scale that fits their fan-in.

    The scale of a weight is its size times the root of the number of inputs that its units add up:
    He's initialisation is 1.4, Xavier's 1, torch's own 0.6, N(0, 0.02²) between 0.1 and 1. Which
    inputs those are is seen in a forward pass. Weights that begin at zero on purpose (a last layer,
    the end of a residual branch) are told from dead ones by a few training steps on a copy: dead
    weights stay equal to each other. Also fails when nearly all units of a rectified layer are
    silent for the whole batch.
    """

    code = "C001"
    slug = "parameter-initialization"

    most: float = 10.0  # scale above which weights are huge
    least: float = 1e-3  # scale below which a signal dies, if most layers are like that
    silent: float = 0.9  # share of rectified units that never speak

    def run(self, patient: Patient) -> Outcome:
        parameters = dict(patient.model.named_parameters())
        if not parameters:
            raise Skip("the model has no parameters")
        broken = [name for name, one in parameters.items() if not _finite(one)]
        if broken:
            message = f"Not all values of {listed(broken)} are finite: they were never set."
            return self.outcome("", [self.finding(message, where=broken)])
        products = _products(patient)
        scales = {one.parameter: _scale(parameters[one.parameter], one) for one in products}
        findings = [
            self._huge(scales),
            self._tiny(scales),
            self._constant(parameters, products),
            self._stuck(patient, parameters, products),
            self._silent(patient),
        ]
        words = f"{len(parameters)} parameters are finite"
        if scales:
            words += f"; scales between {min(scales.values()):.2g} and {max(scales.values()):.2g}"
        return self.outcome(f"{words}.", findings, scales=scales)

    def _huge(self, scales: dict[str, float]) -> Finding | None:
        huge = [name for name, scale in scales.items() if scale > self.most]
        if not huge:
            return None
        worst = max(scales[name] for name in huge)
        return self.finding(
            f"The weights of {listed(huge)} are huge: {worst:.3g} times the inverse root of their "
            "fan-in, where about 1 is usual.",
            where=huge, scale=worst, threshold=self.most,
        )  # fmt: skip

    def _tiny(self, scales: dict[str, float]) -> Finding | None:
        drawn = {name: scale for name, scale in scales.items() if scale > 0}
        tiny = [name for name, scale in drawn.items() if scale < self.least]
        if 2 * len(tiny) <= len(drawn):
            return None
        most = max(scales[name] for name in tiny)
        return self.finding(
            f"The weights of {listed(tiny)} are so small ({most:.1e} times the inverse root of "
            "their fan-in) that no signal passes.",
            where=tiny, scale=most, threshold=self.least,
        )  # fmt: skip

    def _constant(
        self, parameters: dict[str, nn.Parameter], products: list[Product]
    ) -> Finding | None:
        """The same value everywhere. Zeros may be meant; another constant is not."""
        flat = [
            one.parameter
            for one in products
            if not one.depthwise and _is_flat(parameters[one.parameter])
        ]
        if not flat:
            return None
        value = float(parameters[flat[0]].flatten()[0])
        return self.finding(
            f"All weights of {listed(flat)} are equal ({value:.3g}): their units compute the same "
            "and get the same gradient. Draw them at random.",
            where=flat, value=value,
        )  # fmt: skip

    def _stuck(
        self, patient: Patient, parameters: dict[str, nn.Parameter], products: list[Product]
    ) -> Finding | None:
        """Units that are equal, and still are after some steps."""
        equal = [
            one.parameter
            for one in products
            if not one.depthwise and _equal_units(parameters[one.parameter])
        ]
        equal = [name for name in equal if not _is_flat(parameters[name])]
        if not equal or patient.subject.calling is None:
            return None
        trained = _after_steps(patient)
        stuck = [name for name in equal if _equal_units(trained[name])]
        if not stuck:
            return None
        return self.finding(
            f"The units of {listed(stuck)} begin equal and are still equal after {_STEPS} steps: "
            "zero meets zero, and nothing tells them apart. Draw the weights at random.",
            where=stuck, steps=_STEPS,
        )  # fmt: skip

    def _silent(self, patient: Patient) -> Finding | None:
        if patient.subject.calling is None:
            return None
        watcher = Rectifiers(patient.model)
        with watcher.place.followed(), watcher:
            patient.run()
        dead = {name: share for name, share in watcher.dead.items() if share >= self.silent}
        if not dead:
            return None
        return self.finding(
            f"In {listed(dead)} {100 * max(dead.values()):.0f} % of the rectified units are silent "
            "for every sample: they get no gradient. Look at the biases.",
            where=dead, share=max(dead.values()), threshold=self.silent,
        )  # fmt: skip


def _finite(parameter: Tensor) -> bool:
    return bool(torch.isfinite(parameter.detach()).all())


def _products(patient: Patient) -> list[Product]:
    """Trainable weights with their fan-in, as seen in a forward pass; recurrent ones by shape."""
    found: dict[str, Product] = {}
    if patient.subject.calling is not None:
        watcher = Products(patient.model)
        with watcher:
            patient.run()
        found = watcher.found
    for name, parameter in _recurrent(patient.model):
        found.setdefault(name, Product(name, parameter.shape[1], parameter))
    trainable = {name for name, _ in patient.trainable()}
    return [one for name, one in found.items() if name in trainable]


def _recurrent(model: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    for prefix, module in model.named_modules():
        if isinstance(module, nn.RNNBase | nn.RNNCellBase):
            for name, parameter in module.named_parameters(prefix, recurse=False):
                if parameter.dim() == 2:
                    yield name, parameter


def _scale(parameter: Tensor, product: Product) -> float:
    return float(parameter.detach().double().square().mean().sqrt()) * math.sqrt(product.fan_in)


def _is_flat(parameter: Tensor) -> bool:
    """One value, not zero, in a matrix."""
    values = parameter.detach()
    if values.dim() < 2 or min(values.shape[:2]) < 2:
        return False
    first = values.flatten()[0]
    return bool(first != 0) and bool((values == first).all())


def _equal_units(parameter: Tensor) -> bool:
    values = parameter.detach()
    if values.dim() < 2 or min(values.shape[:2]) < 2:
        return False
    slack = 1e-6 * float(values.abs().max())
    return any(bool(((values - values.narrow(axis, 0, 1)).abs() <= slack).all()) for axis in (0, 1))


def _after_steps(patient: Patient) -> dict[str, Tensor]:
    """The parameters after a few steps on a copy."""
    model = patient.another()
    optimizer = torch.optim.Adam([one for _, one in patient.trainable(model)], lr=1e-2)
    for _ in range(_STEPS):
        optimizer.zero_grad()
        patient.objective(model=model).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return dict(model.named_parameters())
