"""Seeing the calls of torch's loss functions, by modules and by functions alike.

The modules of torch call the functions of `torch.nn.functional`, so wrapping these shows both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from paramedic.probe.unseen import Unseen, is_readable_now
from paramedic.run.patching import Function, Patches

_NAMES = (
    "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss",
    "gaussian_nll_loss", "soft_margin_loss", "multi_margin_loss", "multilabel_margin_loss",
    "hinge_embedding_loss", "cosine_embedding_loss", "margin_ranking_loss",
    "triplet_margin_loss", "ctc_loss",
)  # fmt: skip

# name, prediction, target, reduction, result
OnLoss = Callable[[str, Tensor, Tensor, str, Tensor], None]


def _raise(part: str, error: Exception) -> None:
    raise error


def observe_losses(
    patches: Patches,
    on_loss: OnLoss,
    curious: Callable[[], bool],
    on_error: Callable[[str, Exception], None] = _raise,
) -> None:
    """Tell `on_loss` of each call; of those that train only while `curious` says so, which is
    asked at every step and must be quick. `on_error` hears of what goes wrong in that."""
    for name in _NAMES:
        patches.wrap(functional, name, _observing(name, on_loss, curious, on_error))


def _observing(
    name: str,
    on_loss: OnLoss,
    curious: Callable[[], bool],
    on_error: Callable[[str, Exception], None],
) -> Callable[[Function], Function]:
    def make(original: Function) -> Function:
        def loss(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            if not torch.compiler.is_compiling() and isinstance(result, Tensor):
                try:
                    with Unseen():
                        if not _is_training(result) or curious():
                            observe(args, kwargs, result)
                except Exception as error:  # noqa: BLE001 - the user's run must survive it
                    on_error("losses", error)
            return result

        def observe(args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor) -> None:
            prediction = args[0] if args else kwargs.get("input")
            target = args[1] if len(args) > 1 else kwargs.get("target")
            if (
                isinstance(prediction, Tensor)
                and isinstance(target, Tensor)
                and is_readable_now((prediction, target, result))
            ):
                on_loss(name, prediction, target, str(kwargs.get("reduction", "mean")), result)

        return loss

    return make


def _is_training(result: Tensor) -> bool:
    return type(result) is Tensor and result.requires_grad
