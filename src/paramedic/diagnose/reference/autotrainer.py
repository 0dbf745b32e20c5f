"""The eight problems of AUTOTRAINER, by the formulas and defaults of its Table 1.

An iteration is an epoch; the run is judged after every third one; most rules only hold while no
epoch was accurate enough. `_iterations.py` has what they share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.detector import threshold
from paramedic.diagnose.reference._iterations import (
    PAPER,
    CheckedRule,
    RecentRule,
    first_and_last,
    quotient,
)
from paramedic.diagnose.reference._measurements import number
from paramedic.diagnose.reference._tasks import (
    LOSSES,
    OUTPUT_FUNCTIONS,
    RecommendedRule,
    output_activation,
)
from paramedic.types import Finding, Window


@dataclass(frozen=True, slots=True)
class VanishingGradient(RecentRule):
    """The gradient shrinks from the last layer to the first and is tiny there.

    ## What it looks for
    In each of the last iterations the norms of the layers' gradients, divided layer by layer (which
    leaves the first over the last), give at most `ratio`; the first is at most `norm`; and no epoch
    was more accurate than `satisfactory`. Known fault: a norm depends on the scale of the loss and
    the size of the layer, and a gradient that is zero everywhere has no ratio and is missed.

    ## Why is this bad?
    The first layers hardly move: only the top of the network is trained.

    ## Example
    ```python
    nn.Sequential(*[part for _ in range(20) for part in (nn.Linear(64, 64), nn.Sigmoid())])
    ```

    ## Use instead
    ```python
    nn.Sequential(*[part for _ in range(20) for part in (nn.Linear(64, 64), nn.ReLU())])
    ```

    ## References
    - Zhang et al., An Automated Monitoring and Repairing System for DNN Training, Table 1, VG.
    """

    code = "AT01"
    slug = "autotrainer-vanishing-gradient"
    needs = frozenset({"grad_norm"})
    statistic = "grad_norm"

    ratio: float = threshold(1e-3, "β1: largest first norm over the last", source=PAPER)
    norm: float = threshold(1e-4, "β2: largest norm of the first layer", source=PAPER)

    def examine(self, window: Window) -> Finding | None:
        first, last = first_and_last(self.rows(window))
        ratios = quotient(first, last)
        vanishes = np.all(ratios <= self.ratio) and np.all(first <= self.norm)
        if not vanishes or self.is_satisfied(window):
            return None
        ratio, norm = float(ratios.max()), float(first.max())
        return self.tell(
            window,
            f"The gradient of the first layer has norm {norm:.2g}, {ratio:.2g} of the last one's.",
            {"ratio": ratio, "threshold": self.ratio, "norm": norm, "norm_threshold": self.norm},
            where=[window.names[self.columns(window)[0]]],
        )


@dataclass(frozen=True, slots=True)
class ExplodingGradient(RecentRule):
    """The gradient grows from the last layer to the first, or is no number.

    ## What it looks for
    In each of the last iterations the first layer's gradient norm is at least `ratio` times the
    last one's, or a gradient is not finite; and no epoch was more accurate than `satisfactory`.
    Known fault: a wide first layer has a large ratio in health too, and a NaN waits for the check.

    ## Why is this bad?
    Steps become so large that what was learned is thrown away, until everything is NaN.

    ## Example
    ```python
    for layer in model:
        nn.init.normal_(layer.weight, std=1.0)
    ```

    ## Use instead
    ```python
    for layer in model:
        nn.init.kaiming_normal_(layer.weight)
    ```

    ## References
    - Zhang et al., An Automated Monitoring and Repairing System for DNN Training, Table 1, EG.
    """

    code = "AT02"
    slug = "autotrainer-exploding-gradient"
    needs = frozenset({"grad_norm"})
    statistic = "grad_norm"

    ratio: float = threshold(70.0, "β3: smallest first norm over the last", source=PAPER)

    def examine(self, window: Window) -> Finding | None:
        rows = self.rows(window)
        ratios = quotient(*first_and_last(rows))
        bad = np.isinf(rows).any(axis=1) | self.is_non_finite(window)
        if not np.all((ratios >= self.ratio) | bad) or self.is_satisfied(window):
            return None
        ratio = float(ratios[-1])
        amplified = f"The gradient of the first layer is {ratio:.3g} times as large as the last's."
        return self.tell(
            window,
            "A gradient was not finite." if bad[-1] else amplified,
            {"ratio": number(ratio), "threshold": self.ratio, "non_finite": bool(bad.any())},
            where=[window.names[self.columns(window)[0]]],
        )


@dataclass(frozen=True, slots=True)
class DyingRelu(RecentRule):
    """Most of the gradient is exactly zero.

    ## What it looks for
    In each of the last iterations the share of the parameters whose gradient is exactly zero is
    at least `share`, and no epoch was more accurate than `satisfactory`. Known fault: the rows of
    an embedding that a batch does not use have zero gradients in health too, ReLU or not.

    ## Why is this bad?
    A unit that is never active gets no gradient and never comes back.

    ## Example
    ```python
    nn.init.constant_(model[0].bias, -10.0)
    ```

    ## Use instead
    ```python
    nn.init.zeros_(model[0].bias)
    ```

    ## References
    - Zhang et al., An Automated Monitoring and Repairing System for DNN Training, Table 1, DR.
    """

    code = "AT03"
    slug = "autotrainer-dying-relu"
    needs = frozenset({"grad_zero"})
    statistic = "grad_zero"

    share: float = threshold(0.7, "γ: smallest share of zero gradients", source=PAPER)

    def examine(self, window: Window) -> Finding | None:
        columns, rows = self.columns(window), self.rows(window)
        sizes = np.array([window.chart.layers[place].parameters for place in columns], float)
        measured = np.where(np.isnan(rows), 0.0, sizes)
        shares = np.nansum(rows * sizes, axis=1) / measured.sum(axis=1)
        if not np.all(shares >= self.share) or self.is_satisfied(window):
            return None
        return self.tell(
            window,
            f"{shares[-1]:.0%} of the parameters have a gradient of exactly zero.",
            {"share": float(shares[-1]), "threshold": self.share},
            where=[window.names[place] for place in columns[rows[-1] >= self.share]],
        )


@dataclass(frozen=True, slots=True)
class OscillatingLoss(CheckedRule):
    """The accuracy goes up and down.

    ## What it looks for
    The local maxima and the local minima of the accuracy are paired in the order of time; pairs
    that differ by at least `swing` number at least `share` of the epochs. A value between two equal
    ones counts as both. Known fault: it has no idea of the noise of a small validation set.

    ## Why is this bad?
    The steps jump over the minimum instead of going down into it.

    ## Example
    ```python
    torch.optim.SGD(model.parameters(), lr=1.0)
    ```

    ## Use instead
    ```python
    torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    ```

    ## References
    - Zhang et al., An Automated Monitoring and Repairing System for DNN Training, Table 1, OL.
    """

    code = "AT04"
    slug = "autotrainer-oscillating-loss"

    swing: float = threshold(0.03, "ζ: smallest difference that is a swing", source=PAPER)
    share: float = threshold(0.2, "η: smallest share of swings in the epochs", source=PAPER)

    def examine(self, window: Window) -> Finding | None:
        accuracy = self.accuracies(window)
        before, here, after = accuracy[:-2], accuracy[1:-1], accuracy[2:]
        tops = here[(here >= before) & (here >= after)]
        bottoms = here[(here <= before) & (here <= after)]
        pairs = min(len(tops), len(bottoms))
        swings = int(np.count_nonzero(tops[:pairs] - bottoms[:pairs] >= self.swing))
        share = swings / len(accuracy)
        if share < self.share:
            return None
        return self.tell(
            window,
            f"Accuracy swung by {self.swing:g} or more {swings} times in {len(accuracy)} epochs.",
            {"share": share, "threshold": self.share, "swings": swings, "swing": self.swing},
        )


@dataclass(frozen=True, slots=True)
class SlowConvergence(CheckedRule):
    """The accuracy hardly grows from epoch to epoch.

    ## What it looks for
    From no epoch to the next did the accuracy grow by more than `growth`. Known fault: it does not
    ask how good the accuracy is, so a run that starts well and stays there is called slow.

    ## Why is this bad?
    The run ends before it has learned what it could.

    ## Example
    ```python
    torch.optim.SGD(model.parameters(), lr=1e-7)
    ```

    ## Use instead
    ```python
    torch.optim.Adam(model.parameters(), lr=1e-3)
    ```

    ## References
    - Zhang et al., An Automated Monitoring and Repairing System for DNN Training, Table 1, SC.
    """

    code = "AT05"
    slug = "autotrainer-slow-convergence"

    growth: float = threshold(0.01, "δ: largest growth that is slow", source=PAPER)

    def missing(self, window: Window) -> str | None:
        lacking = CheckedRule.missing(self, window)
        few = lacking is None and len(self.accuracies(window)) < 2
        return "the accuracy of two epochs is needed by the last check" if few else lacking

    def examine(self, window: Window) -> Finding | None:
        growth = float(np.diff(self.accuracies(window)).max())
        if growth > self.growth:
            return None
        return self.tell(
            window,
            f"The largest growth of the accuracy from an epoch to the next was {growth:.3g}.",
            {"growth": growth, "threshold": self.growth},
        )


@dataclass(frozen=True, slots=True)
class ImproperOutputActivation(RecommendedRule):
    """The output has an activation function that is not the recommended one for the task.

    ## What it looks for
    The last function before the loss is not softmax for several classes, sigmoid for two, none
    for regression; and no epoch was more accurate than `satisfactory`. Known fault: PyTorch's
    cross-entropy losses take logits, so a correct model has no softmax and is called improper.

    ## Why is this bad?
    A ReLU on the output cannot say "unlikely", a sigmoid cannot say 3.

    ## Example
    ```python
    nn.Sequential(nn.Linear(64, 10), nn.ReLU())
    ```

    ## Use instead
    ```python
    nn.Sequential(nn.Linear(64, 10), nn.LogSoftmax(dim=1))
    ```

    ## References
    - Zhang et al., An Automated Monitoring and Repairing System for DNN Training, Table 1, IO.
    """

    code = "AT06"
    slug = "autotrainer-improper-output-activation"
    part = "output function"
    recommended = OUTPUT_FUNCTIONS

    def used(self, window: Window) -> str | None:
        return output_activation(window)


@dataclass(frozen=True, slots=True)
class ImproperLoss(RecommendedRule):
    """The loss function is not the recommended one for the task.

    ## What it looks for
    The loss is not the cross-entropy for several classes, the binary one for two, the mean square
    or absolute error for regression; and no epoch was more accurate than `satisfactory`. Known
    faults: Huber losses are called improper, and its public code even calls MSE for regression so.

    ## Why is this bad?
    The gradient does not point to what the accuracy asks for, or vanishes where it should not.

    ## Example
    ```python
    loss = F.mse_loss(torch.softmax(model(x), dim=1), F.one_hot(y).float())
    ```

    ## Use instead
    ```python
    loss = F.cross_entropy(model(x), y)
    ```

    ## References
    - Zhang et al., An Automated Monitoring and Repairing System for DNN Training, Table 1, IL.
    """

    code = "AT07"
    slug = "autotrainer-improper-loss"
    part = "loss function"
    recommended = LOSSES

    def used(self, window: Window) -> str | None:
        return window.chart.loss


@dataclass(frozen=True, slots=True)
class AbnormalData(RecentRule):
    """A layer gives very large values, or none that are numbers.

    ## What it looks for
    In each of the last iterations the largest output of some layer is at least `largest`, or not
    finite; and no epoch was more accurate than `satisfactory`. Known fault: logits and residual
    streams pass 10 in health too.

    ## Why is this bad?
    Inputs that are not normalised drive the layers to where they do not learn.

    ## Example
    ```python
    x = images.float()  # 0 to 255
    ```

    ## Use instead
    ```python
    x = images.float() / 127.5 - 1
    ```

    ## References
    - Zhang et al., An Automated Monitoring and Repairing System for DNN Training, Table 1, AD.
    """

    code = "AT08"
    slug = "autotrainer-abnormal-data"
    needs = frozenset({"act_max_abs"})
    statistic = "act_max_abs"  # infinite where an output is not finite

    largest: float = threshold(10.0, "ω: smallest largest output", source=PAPER)

    def columns(self, window: Window) -> NDArray[np.intp]:
        return np.arange(len(window.chart.layers))

    def examine(self, window: Window) -> Finding | None:
        rows = np.nan_to_num(self.rows(window), nan=0.0, posinf=np.inf)
        largest = rows.max(axis=1)
        if not np.all(largest >= self.largest) or self.is_satisfied(window):
            return None
        where = [window.names[place] for place in np.flatnonzero(rows[-1] >= self.largest)]
        return self.tell(
            window,
            f"The outputs of `{where[0]}` go up to {rows[-1].max():.3g}.",
            {"largest": float(largest[-1]), "threshold": self.largest},
            where=where,
        )
