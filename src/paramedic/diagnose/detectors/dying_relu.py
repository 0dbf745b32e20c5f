"""A001: rectifiers that never fire."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import dead_shares, dead_units, names
from paramedic.types import Finding, Severity, Window


@dataclass(frozen=True, slots=True)
class DyingRelu(Detector):
    """Most units behind a ReLU are inactive for every sample.

    ## What it looks for
    A layer in which nearly all units give zero for a whole batch, look after look, while the net
    does not learn. Many inactive units alone are no sickness: a net that learns may be sparse.

    ## Why is this bad?
    A unit that is zero for every sample has no gradient, so nothing can wake it again. If a whole
    layer dies, the layers before it get no gradient at all.

    ## Example
    ```python
    optimizer = torch.optim.SGD(model.parameters(), lr=5.0)      # one step too far is enough
    ```

    ## Use instead
    ```python
    nn.LeakyReLU(0.01)          # or GELU; He initialisation; a smaller learning rate
    ```

    ## References
    - AUTOTRAINER, problem DR: 70 % of gradients zero; its code takes the unused rows
      of an embedding for dead neurons.
    - Lu et al., "Dying ReLU and Initialization", 2019.
    """

    code = "A001"
    slug = "dying-relu"
    needs = frozenset({"act_dead"})
    explains = frozenset(
        {"vanishing-gradient", "loss-plateau", "slow-convergence", "learning-rate-too-low",
         "untrained-parameters", "uninformative-labels", "no-more-gain", "oscillating-loss",
         "gradient-instability"}
    )  # fmt: skip

    dead: float = threshold(
        0.9,
        "share of the units of a layer that no sample activates",
        source="tuning half of the zoo",
    )
    learned: float = threshold(
        0.2, "share of the loss that is gone, above which the net learns", source="as above"
    )
    frames: int = threshold(4, "frames that must agree", source="one batch may be odd")

    def missing(self, window: Window) -> str | None:
        seen = len(window.of_frames(dead_units))
        if not seen:
            return "the model has no rectifier whose output could be seen"
        if window.derive(curve) is None:
            return "too few losses were seen"
        return None if seen >= self.frames else f"too few steps were looked at: {seen}"

    def examine(self, window: Window) -> Finding | None:
        loss = window.derive(curve)
        assert loss is not None
        if loss.learned > self.learned or loss.falling:
            return None
        shares = np.nan_to_num(window.of_frames(dead_shares))
        worst = int(shares.argmax())
        if shares[worst] < self.dead:
            return None
        rows = [int(row) for row in np.flatnonzero(shares >= self.dead)]
        return self.finding(
            window,
            f"{shares[worst]:.0%} of the units of `{window.names[worst]}` are zero for every "
            f"sample, and the loss does not fall ({loss.last:.4g}).",
            severity=Severity.CRITICAL,
            confidence=0.9,
            where=names(window, rows),
            dead=float(shares[worst]),
            threshold=self.dead,
            learned=loss.learned,
        )
