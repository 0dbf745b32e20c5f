"""L005: the loss does not fit the task."""

from __future__ import annotations

from dataclasses import dataclass

from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import middle, scalars
from paramedic.types import Finding, Severity, Window


@dataclass(frozen=True, slots=True)
class ImproperLoss(Detector):
    """The loss function does not measure what the task asks for.

    ## What it looks for
    Cross-entropy on targets that are no distribution over classes (negative, above one, or not
    summing to one); a loss for regression on class indices, where accuracy is reported or the
    labels are integers.

    ## Why is this bad?
    To mean squared error class 9 is far from class 1 and near to class 8. The net learns an order
    of the classes that does not exist, and hardly learns to tell them apart. Cross-entropy with
    targets that are no distribution has no minimum at the right answer.

    ## Example
    ```python
    loss = F.mse_loss(model(x).squeeze(-1), labels.float())
    ```

    ## Use instead
    ```python
    loss = F.cross_entropy(model(x), labels)         # one output per class
    ```

    ## References
    - AUTOTRAINER, problem IL; its code calls mean squared error on a regression
      improper, this one does not.
    """

    code = "L005"
    slug = "improper-loss"
    explains = frozenset(
        {"loss-plateau", "slow-convergence", "vanishing-gradient", "oscillating-loss",
         "exploding-gradient", "loss-explosion", "uninformative-labels", "learning-rate-too-high",
         "learning-rate-too-low", "improper-output-activation", "gradient-instability",
         "no-more-gain", "dying-relu", "overfitting", "too-few-steps", "abnormal-data",
         "poor-initialization"}
    )  # fmt: skip
    patience = 1
    lasting = True

    off: float = threshold(
        0.1, "how far the sum of a distribution may be from one", source="label smoothing sums to 1"
    )
    even: float = threshold(
        0.15, "how far mean and spread may be from those of equally frequent classes", source="zoo"
    )
    frames: int = threshold(8, "batches before that is judged", source="one batch tells little")
    fewest: int = threshold(3, "different labels that make classes", source="two are a yes or no")
    most: int = threshold(1000, "different labels that make classes", source="ImageNet has 1000")

    def missing(self, window: Window) -> str | None:
        if window.chart.loss is None or window.chart.target_kind is None:
            return "the loss function or its targets could not be seen"
        return None if len(scalars(window, "target_max")) else "no targets were seen"

    def examine(self, window: Window) -> Finding | None:
        chart = window.chart
        if chart.loss == "cross-entropy" and chart.target_kind == "float":
            return self._not_a_distribution(window)
        if chart.loss in ("mse", "l1", "smooth-l1", "huber"):
            return self._class_indices(window)
        return None

    def _not_a_distribution(self, window: Window) -> Finding | None:
        least, most = scalars(window, "target_min").min(), scalars(window, "target_max").max()
        classes = window.chart.target_shape[-1] if window.chart.target_shape else 1
        total = middle(scalars(window, "target_mean")) * classes
        if _tells_pairs(window):
            return None
        if least >= -self.off and most <= 1 + self.off and abs(total - 1) <= self.off:
            return None
        return self.finding(
            window,
            f"Cross-entropy is computed on targets from {least:.3g} to {most:.3g} whose sum is "
            f"about {total:.3g}: they are no probabilities of classes. Use `nn.MSELoss` for "
            "numbers, `nn.BCEWithLogitsLoss` for several labels at once.",
            severity=Severity.CRITICAL,
            confidence=0.95,
            target_min=float(least),
            target_max=float(most),
            target_sum=total,
            threshold=self.off,
        )

    def _is_even(self, window: Window, least: float, classes: float) -> bool:
        if len(scalars(window, "target_mean")) < self.frames:
            return False
        centre = middle(scalars(window, "target_mean"))
        spread = middle(scalars(window, "target_std"))
        even = ((classes**2 - 1) / 12) ** 0.5
        near = abs(centre - (classes - 1) / 2) < self.even * even
        return least == 0 and near and abs(spread - even) < self.even * even

    def _class_indices(self, window: Window) -> Finding | None:
        whole = (
            window.chart.target_kind == "integer" or (scalars(window, "target_whole") == 1).all()
        )
        counts = scalars(window, "target_classes")
        least, most = scalars(window, "target_min").min(), scalars(window, "target_max").max()
        classes = float(most) - float(least) + 1
        if not whole or not len(counts) or not self.fewest <= classes <= self.most or least < 0:
            return None
        measured = {name for epoch in window.epochs for name in epoch.values}
        told = measured & {"train_acc", "val_acc", "accuracy", "train_accuracy", "val_accuracy"}
        # Counts and ratings are whole numbers too, but not all of them equally frequent.
        if not told and not self._is_even(window, float(least), float(classes)):
            return None
        return self.finding(
            window,
            f"{window.chart.loss} is computed on class indices from {least:g} to {most:g}: it "
            "takes neighbouring numbers for similar classes. Use `nn.CrossEntropyLoss` with one "
            "output per class.",
            severity=Severity.CRITICAL,
            confidence=0.9,
            classes=float(classes),
            threshold=self.fewest,
        )


def _tells_pairs(window: Window) -> bool:
    """Whether the targets say which samples of a batch belong together, as contrastive losses
    have it, which divide by their number themselves."""
    shape = window.chart.target_shape
    square = len(shape) == 2 and shape[0] == shape[1] == window.chart.batch_size
    return square and bool((scalars(window, "target_whole") == 1).all())
