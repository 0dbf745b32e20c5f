"""C006: attention is normalised, and language models do not see the future."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from paramedic.checkup.attentions import Attention as Found
from paramedic.checkup.attentions import attention_of
from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.language import per_token
from paramedic.checkup.patient import Patient
from paramedic.checkup.variation import difference
from paramedic.checkup.words import listed
from paramedic.types import Finding

_MEANT = {"sigmoid", "relu", "relu_", "silu", "tanh"}  # other weights than a softmax, on purpose


@dataclass(frozen=True, slots=True)
class Attention(Check):
    """The weights of each attention sum to one, and no prediction depends on later tokens.

    Attention is recognised by what it does: products of activations with activations, changed
    entry by entry, mix a third. Its weights must sum to one over the keys; where they were made
    with a sigmoid or a rectifier instead of a softmax, that is taken as meant.

    Causality is demanded of language models (one prediction per token, targets are the tokens that
    follow) and where `causal=True` says so; `causal=False` switches it off. All tokens from some
    position on are changed: what is predicted before it must stay.
    """

    code = "C006"
    slug = "attention"

    tolerance: float = 1e-4  # of the largest output
    slack: float = 1e-3  # of a sum of weights

    def run(self, patient: Patient) -> Outcome:
        model = patient.shaken()
        with attention_of(model) as found:
            patient.run(model=model)
        causal = patient.options.causal
        demanded = patient.language_model if causal is None else causal
        if not found and not demanded:
            raise Skip("no attention was recognised, and the model is no language model")
        findings: list[Finding | None] = [*self._sums(found)]
        words = [f"{len(found)} times attention, weights sum to one"] if found else []
        if demanded:
            try:
                findings.append(self._future(patient, model))
                words.append("no prediction depends on later tokens")
            except Skip as reason:
                words.append(f"causality was not checked: {reason}")
        return self.outcome(f"{'; '.join(words)}.", findings, attentions=len(found))

    def _sums(self, found: list[Found]) -> list[Finding]:
        bad = [one for one in found if not self._is_normalised(one)]
        if not bad:
            return []
        sums = _row_sums(bad[0])
        low, high = float(sums.min()), float(sums.max())
        return [
            self.finding(
                f"The attention weights in {listed(dict.fromkeys(one.where for one in bad))} sum "
                f"to between {low:.3g} and {high:.3g} over the keys instead of 1: "
                f"{self._why(bad[0])}.",
                where=dict.fromkeys(one.where for one in bad), lowest=low, highest=high,
            )
        ]  # fmt: skip

    def _is_normalised(self, attention: Found) -> bool:
        softmax = any("softmax" in name for name in attention.operations)
        if (
            attention.dropped
            or attention.normalised_later
            or (not softmax and attention.operations & _MEANT)
        ):
            return True
        sums = _row_sums(attention)
        return not len(sums) or self._are_one(sums, attention)

    def _are_one(self, sums: Tensor, attention: Found) -> bool:
        """To within what a number of this type can tell."""
        slack = max(self.slack, 4 * torch.finfo(attention.weights.dtype).eps)
        return bool(((sums - 1).abs() <= slack).all())

    def _why(self, attention: Found) -> str:
        if not any("softmax" in name for name in attention.operations):
            return "there is no softmax"
        if self._are_one(attention.weights.double().sum(-2), attention):
            return "the softmax is over the queries, not over the keys"
        return "they are changed after the softmax; mask the scores before it"

    def _future(self, patient: Patient, model: nn.Module) -> Finding | None:
        before = _per_token(patient, patient.prediction(model=model))
        length = before.shape[1]
        if length < 2:
            raise Skip("the sequences are too short to have a future")
        for start in dict.fromkeys((length // 2, 1, length - 1)):
            changed = patient.replaced(partial(_from, patient.batch.sequence_axis, start))
            after = _per_token(patient, patient.prediction(changed, model=model))
            change = difference(before, after)[:, :start].amax(dim=(0, 2))
            seen = (change > self.tolerance).nonzero().flatten()
            if len(seen):
                return self._leak(start, seen, float(change.max()))
        return None

    def _leak(self, start: int, seen: Tensor, change: float) -> Finding:
        near = 2 * len(seen) < start and seen.tolist() == list(range(start - len(seen), start))
        how = (
            "only those right before see it; the mask is off by one"
            if near
            else "the mask is missing or wrong"
        )
        return self.finding(
            f"The model sees the future: changing the tokens from position {start} on changes "
            f"the predictions at {len(seen)} earlier positions by up to {change:.2g} of their "
            f"scale: {how}.",
            position=start, positions_changed=seen.tolist()[:16], difference=change,
            threshold=self.tolerance,
        )  # fmt: skip


def _row_sums(attention: Found) -> Tensor:
    """Sums over the keys; rows without any weight (padding, fully masked) are left out."""
    weights = attention.weights.double()
    rows = weights.flatten(0, -2)
    counted = torch.isfinite(rows).all(-1) & (rows != 0).any(-1)
    return rows[counted].sum(-1)


def _per_token(patient: Patient, prediction: Tensor) -> Tensor:
    found = per_token(prediction, patient.batch)
    if found is None:
        raise Skip(f"an output of shape {list(prediction.shape)} has no prediction per token")
    return found


def _from(axis: int, start: int, old: Tensor, new: Tensor) -> Tensor:
    """The old tokens before `start`, the new ones from there on."""
    if old.dim() <= axis:
        return old
    kept = old.narrow(axis, 0, start)
    return torch.cat([kept, new.narrow(axis, start, old.shape[axis] - start)], dim=axis)
