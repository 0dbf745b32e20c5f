"""How fast a run moves: its rates, its steps against its weights, its healthy gradients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.motion import moves
from paramedic.diagnose.rows import learners, middle, scalars
from paramedic.types import Finding, Window

# Of an update to its weights. The rule of thumb is 1e-3; the healthy small nets of the tuning half
# of the zoo have 4e-3 in the middle of a run, and more at its beginning.
SOUND_RATIO = 3e-3
_FEWEST = 8  # norms from which a healthy part can be read
_UPPER = 0.9  # quantile of the healthy norms
_WILD = 3.0  # robust deviations, of the logarithm, beyond which a norm is not healthy
_LEAST_SPREAD = 0.25  # of the logarithm: norms that hardly differ are all healthy
_SUDDEN = frozenset({"loss-explosion", "gradient-instability", "non-finite"})
_GROWN = 100.0  # times: the gradient grew, so it was healthy once
_MOST_MOVEMENT = 0.01  # of the weights in a step, where no healthy norm is known


def optimizer(window: Window) -> Mapping[str, Any]:
    """The settings of the first optimizer; empty if none is known."""
    return window.chart.optimizers[0] if window.chart.optimizers else {}


def is_adaptive(window: Window) -> bool:
    """Whether the optimizer divides by the size of the gradient, as Adam does."""
    name = str(optimizer(window).get("name", "")).lower()
    return any(word in name for word in ("adam", "rms", "adagrad", "adadelta", "lion", "rprop"))


def goes_up(window: Window) -> bool:
    """Whether the optimizer was told to maximise the loss: then no size of a step helps."""
    return bool(optimizer(window).get("maximize"))


def rates(window: Window) -> NDArray[np.float64]:
    """The learning rates of the frames."""
    found = scalars(window, "lr/0")
    return found[np.isfinite(found)]


def rate(window: Window) -> float | None:
    """The learning rate now; None if it is not known."""
    found = rates(window)
    if len(found):
        return float(found[-1])
    given = optimizer(window).get("lr")
    return float(given) if isinstance(given, int | float) else None


def movement(finding: Finding, window: Window) -> float | None:
    """By how much a step moves the typical layer, as a share of its weights.

    The finding's own number counts first: it is of the time when the problem showed. None where
    weights were not measured.
    """
    told = finding.evidence.get("update_ratio")
    if isinstance(told, float) and math.isfinite(told) and told > 0:
        return told
    seen = window.of_frames(moves)
    seen = seen[seen > 0]
    return middle(seen) if len(seen) else None


def healthy_norm(finding: Finding, window: Window) -> float | None:
    """The gradient norm below which the healthy steps stayed; None if there were too few.

    Healthy are the steps before the problem began; of these a few wild ones are left out, and of
    the rest the upper tenth is not to be clipped either.
    """
    norms = window.scalar("grad_norm")
    known = np.isfinite(norms) & (norms > 0) & (window.steps < onset(finding, window))
    norms = norms[known]
    if len(norms) < _FEWEST:
        return None
    logs = np.log(norms)
    centre = middle(logs)
    spread = max(1.4826 * middle(np.abs(logs - centre)), _LEAST_SPREAD)
    tame = norms[logs - centre <= _WILD * spread]
    return float(np.quantile(tame, _UPPER))


def onset(finding: Finding, window: Window) -> int:
    """The step at which the problem began, as far as it can be told; -1 if at the start.

    Only sudden problems have a healthy time before them; and a gradient that is out of
    proportion without having grown was never healthy.
    """
    first = finding.evidence.get("first_step")
    if isinstance(first, int):
        return first
    if finding.slug in _SUDDEN:
        return finding.step
    growth = finding.evidence.get("growth")
    if not isinstance(growth, float) or growth < _GROWN or not len(window):
        return -1
    begin = int(window.steps[0])
    return begin + (window.last_step - begin) // 4


def bearable_norm(window: Window) -> float | None:
    """The norm of a gradient whose step moves plain SGD's weights by a hundredth.

    None where the optimizer rescales gradients anyway, or weights were not measured.
    """
    now = rate(window)
    weights = window.layer("weight_norm")[:, learners(window)].astype(np.float64)
    if is_adaptive(window) or not now or not len(weights):
        return None
    total = math.sqrt(float(np.nansum(weights[0] ** 2)))
    momentum = float(optimizer(window).get("momentum") or 0.0)
    reached = _MOST_MOVEMENT * total * (1 - min(momentum, 0.99)) / now
    return reached if math.isfinite(reached) and reached > 0 else None
