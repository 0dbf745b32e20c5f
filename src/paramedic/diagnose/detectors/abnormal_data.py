"""D001: inputs on a scale that harms the run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.motion import elasticity
from paramedic.diagnose.rows import middle, saturated_shares, scalars
from paramedic.types import Finding, Severity, Window


@dataclass(frozen=True, slots=True)
class AbnormalData(Detector):
    """The inputs have missing values, outliers or a scale that the net cannot bear.

    ## What it looks for
    Inputs that are NaN or infinite; inputs that are far from zero or far apart (a large mean or
    spread, values many spreads away) together with trouble: a loss that began far above guessing,
    jumped, or does not fall. Inputs that are merely not normalised and do no harm are no finding.

    ## Why is this bad?
    The first layer multiplies its inputs by weights that were drawn for inputs of about one. With
    values of a few hundred the activations, the loss and the first gradients are hundreds of
    times too large, and the first steps kill units or blow up the weights.

    ## Example
    ```python
    x = torch.from_numpy(images).float()            # 0 to 255, and one column in millions
    ```

    ## Use instead
    ```python
    x = (x - mean) / std                            # of the training data, per feature
    ```

    ## References
    - AUTOTRAINER, problem AD: an output of some layer above 10.
    - LeCun et al., "Efficient BackProp", 1998.
    """

    code = "D001"
    slug = "abnormal-data"
    explains = frozenset(
        {"exploding-gradient", "loss-explosion", "non-finite", "dying-relu", "saturated-activation",
         "learning-rate-too-high", "learning-rate-too-low", "gradient-instability",
         "oscillating-loss", "loss-plateau", "slow-convergence", "vanishing-gradient",
         "poor-initialization", "uninformative-labels", "no-more-gain", "untrained-parameters",
         "too-few-steps"}
    )  # fmt: skip
    lasting = True

    scale: float = threshold(
        20.0, "spread or mean of the inputs", source="tuning half of the zoo; 1 is usual"
    )
    outlier: float = threshold(
        100.0, "largest input in usual spreads", source="tuning half of the zoo"
    )
    extreme: float = threshold(
        100.0, "scale that shows in the net although it learns", source="tuning half of the zoo"
    )
    violent: float = threshold(
        100.0, "gradient times weights over loss that is such a mark", source="exploding-gradient"
    )
    saturated: float = threshold(
        0.7, "share of saturated values that is such a mark", source="saturated-activation"
    )
    odd: float = threshold(
        5.0, "times the usual spread that makes a batch odd", source="tuning half of the zoo"
    )
    hurt: float = threshold(1.5, "times the usual loss that goes with it", source="as above")
    batches: int = threshold(24, "batches that tell what is usual", source="as above")
    batch: int = threshold(
        4, "samples of a batch below which its spread says nothing", source="as above"
    )
    jump: float = threshold(
        10.0, "largest loss against the start that is trouble", source="tuning half of the zoo"
    )
    learned: float = threshold(
        0.2, "share of the loss that is gone, above which the scale is borne", source="as above"
    )

    def missing(self, window: Window) -> str | None:
        if not len(scalars(window, "input_nan")):
            return "the inputs could not be seen"
        return None

    def examine(self, window: Window) -> Finding | None:
        absent = scalars(window, "input_nan")
        if (absent > 0).any():
            return self.finding(
                window,
                f"{absent.max():.2%} of the inputs of a batch are NaN or infinite.",
                severity=Severity.CRITICAL,
                confidence=0.97,
                share=float(absent.max()),
                threshold=0.0,
                first_step=int(window.steps[window.scalar("input_nan") > 0][0]),
            )
        if window.chart.input_kind == "integer":  # tokens: their numbers have no scale
            return None
        return self._scale(window) or self._odd_batches(window)

    def _odd_batches(self, window: Window) -> Finding | None:
        """Batches that are not like the others, and whose loss shows it."""
        spread, losses = window.scalar("input_std"), window.scalar("loss")
        known = np.isfinite(spread) & np.isfinite(losses)
        spread, losses = spread[known], losses[known]
        sizes = scalars(window, "batch_size", 1)
        if len(spread) < self.batches or (len(sizes) and sizes[0] < self.batch):
            return None
        usual, level = middle(spread), middle(losses)
        odd = (spread > self.odd * usual) & (losses > self.hurt * level)
        if usual <= 0 or int(odd.sum()) < 2:
            return None
        return self.finding(
            window,
            f"{int(odd.sum())} of {len(spread)} batches have inputs spread over up to "
            f"{spread.max() / usual:.0f} times the usual, and a loss to match. Look at their "
            "samples, and clip or drop them.",
            confidence=0.85,
            odd_batches=int(odd.sum()),
            largest_spread=float(spread.max() / usual),
            threshold=self.odd,
        )

    def _scale(self, window: Window) -> Finding | None:
        spread = scalars(window, "input_std")
        centre = np.abs(scalars(window, "input_mean"))
        extreme = np.fmax(
            np.abs(scalars(window, "input_min")), np.abs(scalars(window, "input_max"))
        )
        if not len(spread) or not len(extreme):
            return None
        usual = middle(spread)
        size = max(usual, middle(centre))
        far = float(extreme.max()) / max(usual, 1e-12)
        if size < self.scale and far < self.outlier:
            return None
        extreme_scale = size >= self.extreme and self._strain(window)
        if not self._trouble(window) and not extreme_scale:
            return None
        what = f"spread over {size:.3g}" if size >= self.scale else f"up to {far:.0f} usual spreads"
        return self.finding(
            window,
            f"The inputs are {what} (largest {extreme.max():.3g}) and the run suffers from it: "
            "normalise them by their mean and standard deviation.",
            severity=Severity.CRITICAL,
            confidence=0.92,
            scale=size,
            threshold=self.scale,
            largest=float(extreme.max()),
            outlier=far,
        )

    def _trouble(self, window: Window) -> bool:
        loss = window.derive(curve)
        if loss is None:
            return False
        if bool((~window.pulse.finite & ~window.pulse.skipped).any()):
            return True
        jumped = max(loss.first, loss.largest) > self.jump * abs(loss.start)
        return jumped or (loss.learned < self.learned and not loss.falling)

    def _strain(self, window: Window) -> bool:
        """Whether the net shows the marks of inputs far too large, though it may learn."""
        saturated = np.nanmax(window.of_frames(saturated_shares), initial=0.0)
        violent = middle(window.of_frames(elasticity)) > self.violent
        return violent or bool(saturated > self.saturated)
