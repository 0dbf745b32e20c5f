"""C002: other batch sizes and lengths give outputs of the shapes they should."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from paramedic.checkup.batch import Batch
from paramedic.checkup.calling import told
from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.language import per_token
from paramedic.checkup.patient import Patient
from paramedic.types import Finding

_LONGEST = 1024  # positions that are tried at most


@dataclass(slots=True)
class _Tried:
    """What came of the sizes that were tried."""

    findings: list[Finding] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    shapes: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForwardShapes(Check):
    """The model takes one, two and three samples, and shorter sequences where it reads tokens.

    In evaluation mode. The output must have as many samples as the input and be the same
    otherwise: a `squeeze()` loses the axis of a single sample, a `view(32, …)` fits one size only.
    Language models must also take half the length, a single token, and as many positions as their
    table of position embeddings has; for other models a fixed length is told, not counted.
    """

    code = "C002"
    slug = "forward-shapes"

    def run(self, patient: Patient) -> Outcome:
        subject = patient.subject
        if subject.calling is None and subject.fitting:
            message = f"The model cannot take its own batch: {subject.problem}."
            return self.outcome("", [self.finding(message)])
        if subject.calling is None:
            raise Skip(
                f"no way was found to call the model with this batch: {subject.problem}; "
                "`forward=lambda model, batch: …` tells how"
            )
        problem = subject.calling.training_problem
        if problem and patient.whole.size > 1:
            message = f"In training mode the model raises {problem}."
            return self.outcome("", [self.finding(message)])
        tried = _Tried()
        full = patient.prediction()
        tried.shapes[f"{patient.batch.size} samples"] = list(full.shape)
        self._samples(patient, full, tried)
        if patient.lookups:
            self._lengths(patient, tried)
        if len(tried.shapes) < 2 and not tried.findings:
            raise Skip("; ".join(tried.words) or "no other size could be tried")
        words = f"outputs of {', '.join(tried.shapes)} have the shapes they should"
        return self.outcome(
            "; ".join([words, *tried.words]) + ".", tried.findings, shapes=tried.shapes
        )

    def _samples(self, patient: Patient, full: Tensor, tried: _Tried) -> None:
        batch = patient.batch
        if batch.uneven:
            tried.words.append(f"batch sizes were not tried: {batch.uneven}")
            return
        if not _has_samples(full.shape, batch.size, batch.axis):
            tried.words.append(f"an output of shape {list(full.shape)} has no axis of samples")
            return
        for count in (1, 2, 3):
            name = f"{count} sample{'s' * (count > 1)}"
            found = self._tried(patient, batch.take(count), name, tried)
            if found is not None and not _scaled(full.shape, found.shape, batch.size, count):
                tried.findings.append(
                    self.finding(
                        f"For {name} the output has the shape {list(found.shape)}; "
                        f"for {batch.size} it has {list(full.shape)}.",
                        samples=count, shape=list(found.shape), shape_of_batch=list(full.shape),
                    )
                )  # fmt: skip

    def _tried(self, patient: Patient, batch: Batch, name: str, tried: _Tried) -> Tensor | None:
        """The output, or None and a finding."""
        try:
            found = patient.prediction(batch)
        except Exception as error:  # noqa: BLE001 - the error is the finding
            message = f"With {name} the model raises {told(error)}."
            tried.findings.append(self.finding(message, tried=name))
            return None
        tried.shapes[name] = list(found.shape)
        return found

    def _lengths(self, patient: Patient, tried: _Tried) -> None:
        batch, length = patient.batch, patient.batch.length(tuple(patient.lookups))
        demanded = patient.language_model
        if length < 2 or batch.tensors[next(iter(patient.lookups))].dim() != 2:
            return
        for wanted in _wanted_lengths(length, patient.subject.positions if demanded else 0):
            other = (batch if wanted <= length else batch.take(1)).of_length(wanted)
            name = f"length {wanted}"
            if not demanded:
                self._offered(patient, other, name, tried)
                continue
            found = self._tried(patient, other, name, tried)
            if found is not None and per_token(found, other) is None:
                message = f"For {name} the output has the shape {list(found.shape)}."
                tried.findings.append(self.finding(message, tried=name, shape=list(found.shape)))

    def _offered(self, patient: Patient, batch: Batch, name: str, tried: _Tried) -> None:
        """A length that need not be taken."""
        try:
            tried.shapes[name] = list(patient.prediction(batch).shape)
        except Exception:  # noqa: BLE001 - a model may be made for one length
            tried.words.append(f"{name} is not taken, which may be meant")


def _wanted_lengths(length: int, positions: int) -> list[int]:
    wanted = [max(1, length // 2), 1]
    if length < positions:
        wanted.append(min(positions, _LONGEST))
    return list(dict.fromkeys(wanted))


def _has_samples(shape: Sequence[int], count: int, axis: int) -> bool:
    along = len(shape) > axis and shape[axis] == count
    return along or (len(shape) > 0 and count > 0 and shape[0] % count == 0)


def _scaled(full: Sequence[int], other: Sequence[int], of: int, count: int) -> bool:
    """Whether one shape is the other with the samples counted anew, and nothing else."""
    if len(full) != len(other):
        return False
    pairs = list(zip(full, other, strict=True))
    fits = all(one == two or one * count == two * of for one, two in pairs)
    moved = of == count or any(one * count == two * of for one, two in pairs)
    return fits and moved
