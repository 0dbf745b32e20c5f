"""Other inputs and other weights, to see what changes and what does not."""

from __future__ import annotations

import torch
from torch import Tensor, nn

_NOISE = 0.02  # for weights that are all equal and so have no scale of their own


def redrawn(values: Tensor, vocabulary: int | None = None) -> Tensor:
    """Other values of the same kind.

    Tokens are shifted by random amounts, none by zero, within the vocabulary or the range of the
    batch. Real numbers change places at random, so that they stay what the model may expect:
    positive, whole, between 0 and 1.
    """
    if values.is_floating_point():
        order = torch.randperm(values.numel(), device=values.device)
        mixed = values.flatten()[order].view_as(values)
        return mixed if not torch.equal(mixed, values) else values * 1.5 + 0.1
    if values.dtype is torch.bool:
        return ~values
    low, high = (0, vocabulary) if vocabulary else (int(values.min()), int(values.max()) + 1)
    if high - low < 2:
        return values.clone()
    shift = torch.randint(1, high - low, values.shape, device=values.device)
    return ((values - low + shift) % (high - low) + low).to(values.dtype)


@torch.no_grad()
def shaken(model: nn.Module, amount: float = 0.5) -> nn.Module:
    """Move every weight by a random share of its scale.

    What begins at zero on purpose (a last layer, the end of a residual branch, position
    embeddings) hides what lies behind it; after this it does not.
    """
    for parameter in model.parameters():
        if parameter.is_floating_point() and parameter.numel():
            spread = float(parameter.std(correction=0)) if parameter.numel() > 1 else 0.0
            parameter.add_(torch.randn_like(parameter) * (amount * spread or _NOISE))
    return model


def difference(one: Tensor, other: Tensor) -> Tensor:
    """How far two results are apart, in units of their own scale; infinite where one is not finite
    and the other is."""
    one, other = one.detach().double(), other.detach().double()
    scale = torch.cat([one.flatten(), other.flatten()])
    finite = scale[torch.isfinite(scale)].abs()
    unit = float(finite.max()) if finite.numel() else 1.0
    apart = (one - other).abs() / (unit or 1.0)
    both = torch.isfinite(one) == torch.isfinite(other)
    return torch.where(torch.isfinite(apart), apart, torch.where(both, 0.0, torch.inf))
