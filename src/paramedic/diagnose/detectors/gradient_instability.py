"""G003: rare steps with enormous gradients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import bold, middle, scalars
from paramedic.types import Finding, Window


@dataclass(frozen=True, slots=True)
class GradientInstability(Detector):
    """Now and then a batch gives a gradient that dwarfs all others.

    ## What it looks for
    Several frames in which both the gradient and the loss are many times their usual size, while
    most frames are calm. The loss must jump as well: near the end of a good run some batches have
    hardly any gradient left, which makes the others look large.

    ## Why is this bad?
    One such step undoes hundreds of ordinary ones. Heavy-tailed targets, broken samples and rare
    long sequences cause it.

    ## Example
    ```python
    targets = income                       # a few are ten thousand times the median
    ```

    ## Use instead
    ```python
    targets = income.log1p()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    ```

    ## References
    - Training Doctor: standard deviation over mean of 50 norms above 2.
    """

    code = "G003"
    slug = "gradient-instability"
    needs = frozenset({"grad_norm"})
    explains = frozenset(
        {"oscillating-loss", "slow-convergence", "loss-plateau", "no-more-gain", "loss-explosion",
         "dying-relu", "uninformative-labels"}
    )  # fmt: skip
    patience = 2

    gradient: float = threshold(15.0, "times the usual gradient", source="tuning half of the zoo")
    loss: float = threshold(6.0, "times the usual loss", source="tuning half of the zoo")
    harm: float = threshold(
        1.5, "loss of a jump against that of the start", source="tuning half of the zoo"
    )
    spikes: int = threshold(2, "frames of a window with such a jump", source="one is an accident")
    frames: int = threshold(24, "frames before it is judged", source="the first steps are wild")

    batch: int = threshold(
        4, "samples of a batch below which every batch is unlike the others", source="tuning half"
    )

    one_class: float = threshold(
        0.3, "share of batches of one class from which another one is an event", source="as above"
    )

    def missing(self, window: Window) -> str | None:
        sizes = scalars(window, "batch_size", 1)
        if len(sizes) and sizes[0] < self.batch:
            return f"batches of {sizes[0]:.0f} jump by nature"
        if bold(window):
            return "LBFGS leaps by nature"
        one_class = scalars(window, "target_constant") == 1
        if len(one_class) and self.one_class < one_class.mean() < 1:
            return "a rare class comes in some batches only"
        return None if len(window) >= self.frames else f"too few frames: {len(window)}"

    def _harm(self, window: Window) -> float:
        """The loss from which a jump matters: near zero a jump may be large and still harmless."""
        loss = window.derive(curve)
        if loss is None:
            return 0.0
        # A run that goes on from a good start is not harmed by what is still far below guessing.
        return self.harm * max(abs(loss.start), loss.chance if loss.chance > 0 else 0.0)

    def examine(self, window: Window) -> Finding | None:
        norms, losses = window.scalar("grad_norm"), window.scalar("loss")
        known = np.isfinite(norms) & np.isfinite(losses) & (window.steps >= _SETTLED)
        norms, losses = norms[known], losses[known]
        if len(norms) < self.frames:
            return None
        usual, level = middle(norms), middle(losses)
        jump = max(level + (self.loss - 1) * abs(level), self._harm(window))
        wild = (norms > self.gradient * usual) & (losses > jump)
        calm = middle(norms[-8:]) < self.gradient / 3 * usual  # growth is no spike
        if not self.spikes <= wild.sum() <= len(norms) // 4 or not calm:
            return None
        return self.finding(
            window,
            f"{int(wild.sum())} of {len(norms)} steps had gradients up to "
            f"{norms.max() / usual:.0f} times the usual one, with losses to match: some batches "
            "are not like the others. Look at their samples, or clip the gradient.",
            confidence=0.8,
            largest=float(norms.max() / usual),
            threshold=self.gradient,
            largest_loss=float(losses.max() / max(abs(level), 1e-12)),
            spikes=int(wild.sum()),
        )


_SETTLED = 10  # steps: before that every net is wild
