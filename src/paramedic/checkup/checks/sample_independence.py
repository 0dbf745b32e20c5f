"""C011: the output for a sample depends on that sample only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from paramedic.checkup.batch import Batch
from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.patient import Patient
from paramedic.checkup.subject import require_two
from paramedic.checkup.variation import difference
from paramedic.types import Finding


@dataclass(frozen=True, slots=True)
class SampleIndependence(Check):
    """All samples but one are changed: the output for that one stays as it was.

    In evaluation mode, where batch normalisation uses what it has learned. Fails when samples are
    mixed (a `view` or an attention over the wrong axis, `batch_first` forgotten, a softmax or a
    mean over the batch) and when the model keeps something from the batch before.
    """

    code = "C011"
    slug = "sample-independence"

    tolerance: float = 1e-4  # of the largest output

    def run(self, patient: Patient) -> Outcome:
        require_two(patient.batch)
        if norm := _uses_batch(patient.model):
            raise Skip(f"`{norm}` uses the statistics of the batch in evaluation mode too")
        if _compares_samples(patient):
            raise Skip("the output compares the samples with each other")
        model = patient.shaken()
        before = patient.by_sample(patient.prediction(model=model))
        memory = self._memory(patient, model, before)
        if memory is not None:
            return self.outcome("", [memory])
        count, worst = patient.batch.size, 0.0
        for kept in {0, count - 1}:
            others = patient.replaced(partial(_keep, patient.batch, kept))
            after = patient.by_sample(patient.prediction(others, model=model))
            worst = max(worst, float(difference(before, after)[kept].max()))
        return self.outcome(
            f"the output for one of {count} samples stays when the others change.",
            [self._mixed(worst)],
            difference=worst,
        )

    def _memory(self, patient: Patient, model: nn.Module, before: Tensor) -> Finding | None:
        """Whether what was seen in between changes the answer to the same question."""
        patient.prediction(patient.varied(), model=model)
        after = patient.by_sample(patient.prediction(model=model))
        change = float(difference(before, after).max())
        if change <= self.tolerance:
            return None
        return self.finding(
            f"The same batch gives another output after a different one was seen (by "
            f"{change:.2g} of its scale): the model keeps something between batches.",
            difference=change, threshold=self.tolerance,
        )  # fmt: skip

    def _mixed(self, worst: float) -> Finding | None:
        if worst <= self.tolerance:
            return None
        return self.finding(
            f"The output for a sample changes by {worst:.2g} of its scale when only other samples "
            "change: something mixes the samples of a batch. Is the first axis always the batch?",
            difference=worst, threshold=self.tolerance,
        )  # fmt: skip


def _keep(batch: Batch, kept: int, old: Tensor, new: Tensor) -> Tensor:
    axis = batch.axis
    if old.dim() <= axis or old.shape[axis] != batch.size:
        return old
    mixed = new.clone()
    index = torch.tensor([kept], device=old.device)
    return mixed.index_copy(axis, index, old.index_select(axis, index))


def _compares_samples(patient: Patient) -> bool:
    """Whether more than one axis counts the samples, as in a table of similarities."""
    full = patient.prediction().shape
    if list(full).count(patient.batch.size) < 2:
        return False
    fewer = patient.prediction(patient.batch.take(patient.batch.size - 1)).shape
    if len(full) != len(fewer):
        return False
    return sum(one != other for one, other in zip(full, fewer, strict=True)) > 1


def _uses_batch(model: nn.Module) -> str:
    for name, module in model.named_modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and not module.track_running_stats:
            return str(name)
    return ""
