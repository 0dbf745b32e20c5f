"""C007: the order of the tokens matters where it should."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from paramedic.checkup.attentions import Attention, attention_of
from paramedic.checkup.batch import Batch
from paramedic.checkup.check import Check, Outcome, Skip
from paramedic.checkup.language import per_token
from paramedic.checkup.patient import Patient
from paramedic.checkup.variation import difference
from paramedic.types import Finding, Severity

_LEAST = 4  # positions that can be put into another order with the first and the last in place


@dataclass(frozen=True, slots=True)
class PositionEmbeddings(Check):
    """A model with attention knows where its tokens stand.

    Attention alone sees a set. Weights are shaken first, so that position embeddings that begin at
    zero count. Tokens in another order must give more than the same outputs in that order; of
    images two patches are swapped. A causal mask alone also breaks the symmetry a little, so
    language models are asked something else: when all tokens are the same, either the predictions
    or the attention weights must differ between positions.

    Sequences of real numbers may be sets on purpose: they are judged only with `ordered=True`;
    `ordered=False` switches the check off.
    """

    code = "C007"
    slug = "position-embeddings"

    tolerance: float = 1e-5  # of the largest output

    def run(self, patient: Patient) -> Outcome:
        if patient.options.ordered is False:
            raise Skip("the caller says that the order does not matter")
        model = patient.shaken()
        with attention_of(model) as found:
            patient.run(model=model)
        if not found:
            raise Skip("no attention was recognised: nothing in the model sees a set")
        if patient.lookups:
            return self._tokens(patient, model)
        first = patient.batch.tensors[patient.variable()[0]]
        if first.dim() == 4:
            return self._patches(patient, model, first)
        return self._sequence(patient, model)

    def _tokens(self, patient: Patient, model: nn.Module) -> Outcome:
        if patient.language_model or patient.options.causal:
            return self._causal(patient, model)
        change = self._reordered(patient, model)
        words = f"tokens in another order change the output by {change:.2g} of its scale."
        return self.outcome(words, [self._blind(change)], difference=change)

    def _sequence(self, patient: Patient, model: nn.Module) -> Outcome:
        change = self._reordered(patient, model)
        if change <= self.tolerance and not patient.options.ordered:
            raise Skip(
                "the order does not matter, which may be meant for real numbers; "
                "`ordered=True` demands it"
            )
        words = f"positions in another order change the output by {change:.2g} of its scale."
        return self.outcome(words, [self._blind(change)], difference=change)

    def _blind(self, change: float) -> Finding | None:
        if change > self.tolerance:
            return None
        return self.finding(
            "The order of the tokens makes no difference to the output: position embeddings are "
            "missing or not used.",
            severity=Severity.WARNING,
            difference=change, threshold=self.tolerance,
        )  # fmt: skip

    def _reordered(self, patient: Patient, model: nn.Module) -> float:
        """By how much the output differs from the old one, in the old or in the new order."""
        batch, length = patient.batch, patient.batch.length(patient.variable())
        if length < _LEAST:
            raise Skip(f"sequences of {length} positions are too short to reorder")
        inner = torch.arange(1, length - 1).roll(length // 2)
        order = torch.cat([torch.tensor([0]), inner, torch.tensor([length - 1])])
        before = patient.prediction(model=model)
        after = patient.prediction(_in_order(patient, batch, order), model=model)
        if before.shape != after.shape:
            return float("inf")
        changes = [float(difference(before, after).max())]
        tokens, moved = per_token(before, batch), per_token(after, batch)
        if tokens is not None and moved is not None:
            changes.append(float(difference(tokens[:, order], moved).max()))
        return min(changes)

    def _causal(self, patient: Patient, model: nn.Module) -> Outcome:
        batch = patient.batch
        same = batch.with_tensors(
            {place: _first_token(patient, batch.tensors[place]) for place in patient.lookups}
        )
        with attention_of(model) as found:
            prediction = patient.prediction(same, model=model)
        tokens = per_token(prediction, batch)
        if tokens is None or tokens.shape[1] < 3:
            raise Skip("there is no prediction per token, or there are fewer than three tokens")
        change = float(difference(tokens[:, 1:], tokens[:, 1:2].expand_as(tokens[:, 1:])).max())
        uneven = max(_unevenness(one) for one in found)
        words = (
            f"with equal tokens, predictions differ by {change:.2g} between positions and "
            f"attention weights by {uneven:.2g}."
        )
        finding = None if uneven > 1e-3 else self._blind(change)
        return self.outcome(words, [finding], difference=change, unevenness=uneven)

    def _patches(self, patient: Patient, model: nn.Module, images: Tensor) -> Outcome:
        before, height, width = patient.prediction(model=model), *images.shape[2:]
        least = float("inf")
        for side in _divisors(height, width):
            batch = patient.replaced(partial(_swapped, side))
            after = patient.prediction(batch, model=model)
            least = min(least, float(difference(before, after).max()))
        if least == float("inf"):
            raise Skip(f"images of {height} x {width} cannot be cut into patches")
        words = f"two patches in each other's place change the output by {least:.2g} of its scale."
        return self.outcome(words, [self._blind(least)], difference=least)


def _in_order(patient: Patient, batch: Batch, order: Tensor) -> Batch:
    axis = batch.sequence_axis
    changed = {
        place: batch.tensors[place].index_select(axis, order.to(batch.tensors[place].device))
        for place in patient.variable()
        if batch.tensors[place].dim() > axis and batch.tensors[place].shape[axis] == len(order)
    }
    return batch.with_tensors(changed)


def _first_token(patient: Patient, tokens: Tensor) -> Tensor:
    axis = patient.batch.sequence_axis
    return tokens.narrow(axis, 0, 1).expand_as(tokens).clone() if tokens.dim() > axis else tokens


def _unevenness(attention: Attention) -> float:
    """How much the weights of a query differ among the keys it may see, 0 if they are equal."""
    weights = attention.weights.double()
    seen = weights > 0
    most = torch.where(seen, weights, -torch.inf).amax(-1)
    least = torch.where(seen, weights, torch.inf).amin(-1)
    spread = ((most - least) / most)[torch.isfinite(most) & (seen.sum(-1) > 1)]
    return float(spread.max()) if len(spread) else 0.0


def _divisors(height: int, width: int) -> list[int]:
    """The sides that square patches may have."""
    most = min(height, width) // 2
    return [side for side in range(2, most + 1) if height % side == 0 and width % side == 0]


def _swapped(side: int, images: Tensor, _: Tensor) -> Tensor:
    """The first two patches in each other's place.

    Not a shift of all of them: windows that only know where they are to each other do not see it.
    """
    if images.dim() != 4:
        return images
    swapped = images.clone()
    swapped[:, :, :side, :side] = images[:, :, :side, side : 2 * side]
    swapped[:, :, :side, side : 2 * side] = images[:, :, :side, :side]
    return swapped
