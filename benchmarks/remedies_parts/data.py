"""Changes of the data that a remedy asks for."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor
from zoo.data.source import Change, Split
from zoo.faults import Tamper
from zoo.plan import Batch


def normalised() -> Change:
    """Each input feature by its mean and deviation over the training samples."""

    def change(split: Split, generator: torch.Generator) -> Split:
        del generator
        mean = split.inputs.mean(0)
        spread = split.inputs.std(0) + 1e-6 * split.inputs.abs().max()

        def scaled(x: Tensor) -> Tensor:
            return ((x - mean) / spread).clamp(-10, 10)

        return replace(
            split,
            inputs=scaled(split.inputs),
            validation_inputs=scaled(split.validation_inputs),
        )

    return change


def _good(values: Tensor, limit: float | None) -> Tensor:
    flat = values.reshape(len(values), -1)
    if not flat.is_floating_point():
        return torch.ones(len(flat), dtype=torch.bool)
    kept = torch.isfinite(flat).all(1)
    return kept if limit is None else kept & (flat.abs().amax(1) < limit)


def without_bad(of: str, limit: float | None) -> Change:
    """Training samples that are finite and within the limit."""

    def change(split: Split, generator: torch.Generator) -> Split:
        del generator
        kept = _good(split.inputs if of == "inputs" else split.targets, limit)
        return replace(split, inputs=split.inputs[kept], targets=split.targets[kept])

    return change


class GoodBatches:
    """After a batch was tampered with, the samples that are good; the batch before if none is."""

    def __init__(self, tamper: Tamper, of: str, limit: float | None) -> None:
        self.tamper, self.of, self.limit = tamper, of, limit
        self.last: Batch | None = None

    def __call__(self, step: int, batch: Batch) -> Batch:
        inputs, targets = self.tamper(step, batch)
        kept = _good(inputs if self.of == "inputs" else targets, self.limit)
        if kept.any():
            self.last = (inputs[kept], targets[kept])
        return self.last or (inputs, targets)
