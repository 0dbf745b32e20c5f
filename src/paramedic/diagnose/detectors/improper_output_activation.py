"""A003: the last function of the net does not go with the loss."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import scalars
from paramedic.types import Finding, Kind, Severity, Window

# What must not stand before a loss, and why. A function that is not named here may be anything.
_WRONG = {
    "cross-entropy": ("softmax", "sigmoid", "relu", "tanh"),
    "nll": ("softmax", "sigmoid", "relu", "tanh", "linear"),
    "binary-cross-entropy-with-logits": ("sigmoid", "softmax", "relu", "tanh"),
    "binary-cross-entropy": ("linear", "relu", "tanh", "clamp"),
}
# Those that are wrong whatever the net does. Others only make learning harder.
_CERTAIN = {
    "cross-entropy": ("softmax", "sigmoid"),
    "nll": ("softmax", "sigmoid", "relu", "linear"),
    "binary-cross-entropy-with-logits": ("sigmoid", "softmax"),
    "binary-cross-entropy": ("linear", "relu", "tanh"),
}
_WANTED = {
    "cross-entropy": "takes logits and applies the softmax itself: give it the last linear layer",
    "nll": "takes logarithms of probabilities: use `log_softmax`, or cross-entropy on logits",
    "binary-cross-entropy-with-logits": "takes logits and applies the sigmoid itself: give it the "
    "last linear layer",
    "binary-cross-entropy": "takes probabilities: use a sigmoid, or the loss with logits",
}
_RANGES = {
    "sigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "relu": (0.0, float("inf")),
    "softplus": (0.0, float("inf")),
}


@dataclass(frozen=True, slots=True)
class ImproperOutputActivation(Detector):
    """The function at the end of the net does not fit the loss or the targets.

    ## What it looks for
    The last operation before the loss: softmax, sigmoid, ReLU or tanh before a loss that takes
    logits; no sigmoid before `BCELoss`; no log-softmax before `NLLLoss`; and for regression an
    output that cannot reach the targets, because its function has a smaller range. Logits before
    a loss that takes logits are right and are never reported.

    ## Why is this bad?
    `CrossEntropyLoss` applies a softmax. A second one before it squeezes the logits into [0, 1]:
    with ten classes the loss cannot fall below 1.46 however good the net is, and gradients are
    small. A ReLU cuts off half of the logits for good.

    ## Example
    ```python
    model = nn.Sequential(nn.Linear(20, 10), nn.Softmax(dim=1))
    loss = nn.CrossEntropyLoss()(model(x), y)
    ```

    ## Use instead
    ```python
    model = nn.Sequential(nn.Linear(20, 10))
    loss = nn.CrossEntropyLoss()(model(x), y)
    ```

    ## References
    - AUTOTRAINER, problem IO, which calls logits improper; this one does not.
    - PyTorch, `nn.CrossEntropyLoss`, `nn.BCEWithLogitsLoss`, `nn.BCELoss`.
    """

    code = "A003"
    slug = "improper-output-activation"
    kind = Kind.FAULT
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "vanishing-gradient", "dying-relu",
         "saturated-activation", "learning-rate-too-low", "uninformative-labels", "no-more-gain",
         "learning-rate-too-high", "oscillating-loss", "gradient-instability",
         "poor-initialization", "loss-explosion", "exploding-gradient", "too-few-steps",
         "overfitting", "non-finite"}
    )  # fmt: skip
    patience = 1
    lasting = True

    reach: float = threshold(
        0.05,
        "share of the spread of the targets that may lie outside the range of the output",
        source="labels may be rounded; a twentieth is not rounding",
    )

    def missing(self, window: Window) -> str | None:
        if window.chart.output_function is None or window.chart.loss is None:
            return "what stands before the loss could not be seen"
        return None

    def examine(self, window: Window) -> Finding | None:
        function, loss = window.chart.output_function, window.chart.loss
        assert function is not None
        assert loss is not None
        if function in _WRONG.get(loss, ()):
            return self.finding(
                window,
                f"The net ends in {_named(function)}, but {loss} {_WANTED[loss]}.",
                severity=Severity.CRITICAL,
                confidence=0.97,
                kind=Kind.FAULT if function in _CERTAIN[loss] else Kind.SUSPICION,
                output_function=function,
                loss=loss,
            )
        if "softmax" in function and window.chart.output_shape[-1:] == (1,):
            return self.finding(
                window,
                f"The net ends in {_named(function)} over a single output, which is the same "
                "whatever the input is. Use a sigmoid, or two outputs.",
                severity=Severity.CRITICAL,
                confidence=0.97,
                output_function=function,
                outputs=1,
            )
        if loss in ("mse", "l1", "smooth-l1", "huber") and function in _RANGES:
            return self._out_of_reach(window, function)
        return None

    def _out_of_reach(self, window: Window, function: str) -> Finding | None:
        low, high = _RANGES[function]
        lowest, highest = scalars(window, "target_min"), scalars(window, "target_max")
        if not len(lowest) or not len(highest):
            return None
        least, most = float(lowest.min()), float(highest.max())
        allowed = self.reach * max(most - least, 1e-12)
        if least >= low - allowed and most <= high + allowed:
            return None
        return self.finding(
            window,
            f"The net ends in {_named(function)}, which gives values {_range(low, high)}, but "
            f"the targets go from {least:.3g} to {most:.3g}: it can never reach them. End in a "
            "linear layer, or scale the targets.",
            severity=Severity.CRITICAL,
            confidence=0.95,
            output_function=function,
            target_min=least,
            target_max=most,
            threshold=[low, high if math.isfinite(high) else None],
        )


def _range(low: float, high: float) -> str:
    return f"from {low:g} to {high:g}" if math.isfinite(high) else f"from {low:g} up"


def _named(function: str) -> str:
    return "no function at all" if function == "linear" else f"a {function}"
