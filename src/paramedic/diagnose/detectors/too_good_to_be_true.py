"""D005: it learns suspiciously well; a note."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.types import Chart, Finding, Kind, Severity, Task, Window

_LOSSES = ("cross-entropy", "nll")


@dataclass(frozen=True, slots=True)
class TooGoodToBeTrue(Detector):
    """A model of tokens predicts them better than anybody can, or is asked for what it is given.

    ## What it looks for
    Two things, in models that predict tokens. First, a loss per token that is all but zero, of
    targets as varied as text. A text that was read very often may be known by heart: after many
    epochs only a validation loss that is as low counts. Second, targets that are the tokens at
    their own places, and a loss that is far below that of guessing: the model copies. It is told
    as a note and changes neither the verdict nor the exit code.

    ## Why is this bad?
    The next word of a text cannot be known: a good model is left with some 2 nats per word or 0.6
    per character. One that needs less has seen the answer, in training only. It will fail where
    the answer is not there.

    ## Example
    ```python
    hidden = encoder(embed(tokens))                     # each position sees the next ones
    loss = F.cross_entropy(logits.transpose(1, 2), tokens)  # each position is asked for itself
    ```

    ## Use instead
    ```python
    hidden = encoder(embed(tokens), mask=causal, is_causal=True)
    loss = F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:])
    ```

    ## References
    - Shannon, "Prediction and entropy of printed English", 1951: 0.6 to 1.3 bits per character.
    - Kapoor and Narayanan, "Leakage and the reproducibility crisis", 2023.
    """

    code = "D005"
    slug = "too-good-to-be-true"
    kind = Kind.SYMPTOM

    per_token: float = threshold(
        0.05,
        "nats per token below which no text can be predicted",
        source="a tenth of what Shannon's readers needed per character",
    )
    variety: float = threshold(
        2.5,
        "entropy of the targets, in nats, from which they may be text",
        source="letters of English 2.8; ten digits, as in exercises of arithmetic, 2.3",
    )
    passes: int = threshold(
        20, "epochs after which a text may be known by heart", source="not measured: cautious"
    )
    copies: float = threshold(
        0.95, "share of targets that are the token at their own place", source="0 if moved by one"
    )
    left: float = threshold(
        0.25, "share of the loss at first, or of guessing, that copying leaves", source="cautious"
    )
    steps: int = threshold(50, "steps before it is judged", source="as the verdict")

    def missing(self, window: Window) -> str | None:
        if not window.of_chart(_predicts_tokens):
            return None  # there is nothing to check
        loss = window.derive(curve)
        seen = 0 if loss is None else loss.steps
        return None if seen >= self.steps else f"too few steps: {seen} of {self.steps}"

    def examine(self, window: Window) -> Finding | None:
        if not window.of_chart(_predicts_tokens):
            return None
        return self._copies(window) or self._foresees(window)

    def _copies(self, window: Window) -> Finding | None:
        loss, share = window.derive(curve), _newest(window, "target_copied")
        assert loss is not None
        if not share >= self.copies or not 0 <= loss.last < self.left * loss.start:
            return None
        return self.finding(
            window,
            f"Too good to be true: check for leaks. {100 * share:.3g} % of the targets are the "
            f"token at their own place, so that the model can copy them (loss {loss.last:.4g}, at "
            f"first {loss.first:.4g}); to predict the next token they are moved by one.",
            severity=Severity.INFO,
            confidence=0.9,
            copied=share,
            threshold=self.copies,
            loss=loss.last,
            first=loss.first,
        )

    def _foresees(self, window: Window) -> Finding | None:
        loss, entropy = window.derive(curve), _newest(window, "label_entropy")
        assert loss is not None
        if not 0 <= loss.last < self.per_token or not entropy >= self.variety:
            return None
        if self._may_know_by_heart(window):
            return None
        return self.finding(
            window,
            f"Too good to be true: check for leaks. The loss is {loss.last:.3g} per token, where "
            "text leaves some 0.6 per character and 2 per word: a token may see the next one, or "
            "the text be repeated.",
            severity=Severity.INFO,
            confidence=0.7,
            loss=loss.last,
            threshold=self.per_token,
            entropy_of_targets=entropy,
        )

    def _may_know_by_heart(self, window: Window) -> bool:
        """Whether the text was read often, or what was not read is predicted worse."""
        validation = _known(window.series("val_loss"))
        if len(validation):
            return not validation[-1] < self.per_token
        return len(window.epochs) >= self.passes


def _predicts_tokens(chart: Chart) -> bool:
    tokens = chart.task is Task.LANGUAGE_MODEL and chart.loss in _LOSSES
    return tokens and not chart.surrogate


def _newest(window: Window, name: str) -> float:
    values = _known(window.scalar(name))
    return float(values[-1]) if len(values) else float("nan")


def _known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[np.isfinite(values)]
