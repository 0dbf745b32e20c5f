"""O007: weights that were drawn on the wrong scale, or not drawn at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.rows import learner_places, middle, names, normalises, scalars
from paramedic.types import Chart, Finding, Layer, Severity, Window

_CARRIERS = ("Linear", "Conv", "Bilinear")
_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}  # and their cells


@dataclass(frozen=True, slots=True)
class PoorInitialization(Detector):
    """The net starts from weights that are all equal, far too large or far too small.

    ## What it looks for
    In the first steps: two neighbouring layers whose weights are all the same; activations whose
    variance grows or shrinks by orders of magnitude through the layers; a first loss far above
    that of guessing, which is a note where no layer has weights large enough for it.

    ## Why is this bad?
    Equal weights get equal gradients and stay equal: a layer of a thousand units is then one
    unit. Too large weights start the net certain of nonsense; too small ones let the signal die
    before the last layer.

    ## Example
    ```python
    nn.init.zeros_(layer.weight)
    nn.init.normal_(layer.weight, std=3.0)
    ```

    ## Use instead
    ```python
    nn.init.kaiming_normal_(layer.weight)       # before a ReLU; xavier_uniform_ before a tanh
    ```

    ## References
    - Glorot and Bengio, 2010; He et al., "Delving deep into rectifiers", 2015.
    - AUTOTRAINER's remedy S4 substitutes initialisers without diagnosing them.
    """

    code = "O007"
    slug = "poor-initialization"
    needs = frozenset({"weight_var", "act_var"})
    explains = frozenset(
        {"vanishing-gradient", "exploding-gradient", "loss-explosion", "dying-relu",
         "saturated-activation", "loss-plateau", "slow-convergence", "uninformative-labels",
         "learning-rate-too-low", "learning-rate-too-high", "no-more-gain", "oscillating-loss",
         "untrained-parameters", "gradient-instability", "non-finite", "too-few-steps"}
    )  # fmt: skip
    patience = 1
    lasting = True

    growth: float = threshold(
        1e4, "variance of activations, last layer against first", source="tuning half of the zoo"
    )
    first_loss: float = threshold(
        8.0,
        "first loss against that of guessing",
        source="tuning half: healthy up to 5, sick from 15 on",
    )
    least: float = threshold(
        0.1, "size of the weights times the root of their fan-in", source="tuning half of the zoo"
    )
    most: float = threshold(4.0, "the same: He's is 1.4", source="tuning half of the zoo")
    large: float = threshold(
        3.0,
        "the same of the largest layer, from which it may be to blame for the first loss",
        source="tuning half: sick from 7.7 on, others up to 2.5",
    )
    usual: float = threshold(0.8, "the same, up to which weights make nothing grow", source="zoo")
    judged: int = threshold(30, "steps after which it is too late to tell", source="weights move")
    steps: int = threshold(3, "first steps that tell of the initialisation", source="by definition")

    def missing(self, window: Window) -> str | None:
        if not len(window) or window.steps[0] >= self.steps:
            return "the first steps are no longer in the window"
        if len(window.pulse) > self.judged:
            return "only the first steps tell"
        return None if len(window.pulse) >= self.steps else "too few steps"

    def examine(self, window: Window) -> Finding | None:
        return self._constant(window) or self._scale(window)

    def _constant(self, window: Window) -> Finding | None:
        rows = window.of_chart(_matrices)
        flat = window.layer("weight_var")[0, rows] == 0
        pairs = np.flatnonzero(flat[1:] & flat[:-1])
        if not len(pairs):
            return None
        where = names(window, rows[flat])
        return self.finding(
            window,
            f"All weights of `{where[0]}` are equal, and of {len(where) - 1} more layers: their "
            "units get equal gradients and can never differ. Draw the weights at random.",
            severity=Severity.CRITICAL,
            confidence=0.95,
            where=where,
            layers=len(where),
            variance=0.0,
        )

    def _scale(self, window: Window) -> Finding | None:
        growth, gain = self._growth(window), self._gain(window)
        if (recurrent := _recurrent_gain(window)) > self.most:
            gain = recurrent
        above = _first_loss_over_chance(window)
        # Weights of the usual size in a net whose sums grow are not what is wrong with it.
        strange = growth < 1 / self.growth or (growth > self.growth and gain > self.usual)
        strange = strange or not self.least < gain < self.most
        if above <= self.first_loss and not strange:
            return None
        # A net that was trained before may be certain of what is not true of new data.
        if not strange and np.fmax.reduce(_gains(window), initial=gain) <= self.large:
            return self._far_from_guessing(window, above)
        return self.finding(
            window,
            f"The weights were drawn on the wrong scale: {gain:.2g} times the inverse root of the "
            f"number of inputs, the variance of the activations changes by a factor of "
            f"{growth:.1e} through the net, and the first loss is {above:.2g} times that of "
            "guessing.",
            confidence=0.8,
            gain=gain,
            gain_threshold=[self.least, self.most],
            growth=growth,
            growth_threshold=self.growth,
            first_loss=above,
            first_loss_threshold=self.first_loss,
        )

    def _far_from_guessing(self, window: Window, above: float) -> Finding:
        """A note: weights of a usual size do not bring this about, as far as we know."""
        return self.finding(
            window,
            f"The first loss is {above:.2g} times that of guessing, though no layer has large "
            "weights. Unless the net was trained before, look at how its outputs come about.",
            severity=Severity.INFO,
            confidence=0.4,
            explains=frozenset(),
            first_loss=above,
            first_loss_threshold=self.first_loss,
        )

    def _gain(self, window: Window) -> float:
        """The size of the weights in units of the inverse root of their fan-in; 1 is usual.

        Where a normalisation follows, the scale of the weights does not matter: 1 as well. In a
        transformer it stands before them, and large weights saturate the attention all the same.
        """
        gains = _gains(window)
        if len(gains) < 2:
            return 1.0
        gain = middle(gains)
        kinds = [layer.kind for layer in window.chart.layers if normalises(layer)]
        after = [kind for kind in kinds if kind not in ("LayerNorm", "RMSNorm")]
        return 1.0 if 2 * len(after if gain > 1 else kinds) >= len(gains) else gain

    def _growth(self, window: Window) -> float:
        layers = window.chart.layers
        rows = [
            place
            for place in np.argsort([layer.order for layer in layers])
            if _carries(layers[place])
        ]
        # Without the last: to begin with small outputs is a good habit.
        spread = window.layer("act_var")[0, rows[:-1]].astype(np.float64)
        spread = spread[np.isfinite(spread)]
        if len(spread) < 3 or spread[0] <= 0:
            return 1.0
        return float(spread[-1] / spread[0])


def _gains(window: Window) -> NDArray[np.float64]:
    """The size of the weights of each layer in units of the inverse root of their fan-in."""
    layers = window.chart.layers
    rows = [place for place, layer in enumerate(layers) if layer.fan_in and _carries(layer)]
    sizes = np.array([layers[row].fan_in for row in rows], np.float64)
    return np.sqrt(window.layer("weight_var")[0, rows] * sizes)


def _recurrent_gain(window: Window) -> float:
    """The largest of the recurrent layers; what they are multiplied by is the smaller of their
    input and their state."""
    largest = 0.0
    for row, layer in enumerate(window.chart.layers):
        gates = _GATES.get(layer.kind.removesuffix("Cell"), 0)
        if gates and layer.fan_in:
            half = layer.fan_in / 2  # the state solves: gates * state * (state + input) weights
            state = (half**2 + layer.parameters / gates) ** 0.5 - half
            variance = float(window.layer("weight_var")[0, row])
            largest = max(largest, (variance * min(layer.fan_in, state)) ** 0.5)
    return largest


_SORTED = 0.4  # share of batches of one class


def _matrices(chart: Chart) -> NDArray[np.intp]:
    """The learners that mix several inputs; scales and gates may well begin equal."""
    layers = chart.layers
    mixing = [
        place
        for place in learner_places(chart)
        if layers[place].fan_in > 0 and layers[place].parameters > 2
    ]
    return np.array(mixing, np.intp)


def _carries(layer: Layer) -> bool:
    return layer.parameters > 0 and layer.kind.startswith(_CARRIERS)


def _first_loss_over_chance(window: Window) -> float:
    loss = window.derive(curve)
    if loss is None or np.isnan(loss.chance) or loss.chance <= 0:
        return 1.0
    if "entropy" not in (window.chart.loss or ""):  # the scale of numbers is nobody's fault
        return 1.0
    one_class = scalars(window, "target_constant")
    if len(one_class) and one_class.mean() > _SORTED:  # what guessing gives is not known yet
        return 1.0
    losses = window.pulse.loss
    guessing = max(loss.chance, _even(window.chart))
    return float(losses[0] / guessing) if np.isfinite(losses[0]) else 1.0


def _even(chart: Chart) -> float:
    """The loss of a net that holds all classes for equally likely: where one of them is rare that
    is far above guessing by frequencies, and still the best that a net can begin with."""
    shape = chart.output_shape
    return float(np.log(shape[1] if len(shape) > 1 and shape[1] > 1 else 2))
