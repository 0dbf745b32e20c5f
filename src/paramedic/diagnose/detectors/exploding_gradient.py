"""G002: gradients far out of proportion."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paramedic.diagnose.curve import curve
from paramedic.diagnose.detector import Detector, threshold
from paramedic.diagnose.jumps import (
    Jump,
    is_recurrent,
    jump,
    jumped_layers,
    loss_ratio,
    new_jumps,
)
from paramedic.diagnose.motion import elasticity, moves, weight_growth
from paramedic.diagnose.propagation import Way, evenness, passed_on, way_through
from paramedic.diagnose.rows import middle
from paramedic.types import Event, Finding, Severity, Window


@dataclass(frozen=True, slots=True)
class ExplodingGradient(Detector):
    """The gradient is out of all proportion to the weights and the loss.

    ## What it looks for
    The norm of the gradient times that of the weights over the loss, a number without a unit. In
    sound nets it is between 1 and 100. Here it is in the thousands at a typical step, or it has
    grown a thousandfold, and the net does not learn well. Norms alone say nothing: a sum instead
    of a mean in the loss multiplies them by the batch size. A single gradient far above all
    before it is told, too, of the whole net or of some layers beside the others; if the loss of
    that step is as high, the batch is to blame, and in a recurrent net it is nature: then it is
    a note at most. A layer that had next to no gradient and gets what others have, as when
    attention wakes up, is no finding; nor is a leap that went through the net as gradients do:
    it begins somewhere and passes to the layers before, while those next to the loss stay calm.

    ## Why is this bad?
    The gradient holds only in a tiny neighbourhood, so any ordinary learning rate steps far
    outside of it. Deep nets without normalisation and long recurrences multiply factors above
    one.

    ## Example
    ```python
    nn.RNN(16, 64, num_layers=4, nonlinearity="relu")       # 200 time steps, no clipping
    ```

    ## Use instead
    ```python
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    ```
    Or normalisation, gates, and an initialisation that keeps the scale.

    ## References
    - AUTOTRAINER, problem EG: first to last layer above 70.
    - BTTackler, AGV and EAG; Training Doctor: norm above 10.
    - Pascanu et al., "On the difficulty of training recurrent neural networks", 2013.
    """

    code = "G002"
    slug = "exploding-gradient"
    needs = frozenset({"grad_norm", "weight_norm"})
    explains = frozenset(
        {"loss-explosion", "oscillating-loss", "gradient-instability", "non-finite", "dying-relu",
         "saturated-activation", "learning-rate-too-high", "loss-plateau", "slow-convergence",
         "uninformative-labels", "no-more-gain", "untrained-parameters"}
    )  # fmt: skip
    excludes = frozenset({"vanishing-gradient"})

    usual: float = threshold(
        100.0, "gradient times weights over loss, typical step", source="tuning half of the zoo"
    )
    growth: float = threshold(
        1e3, "growth of the same since the first frame of the window", source="as above"
    )
    steps: int = threshold(20, "steps before it is judged", source="the first steps are wild")
    weights: float = threshold(
        5.0, "growth of the weights above which the steps are to blame", source="as above"
    )
    learned: float = threshold(
        0.25, "share of the loss that is gone, above which the net learns", source="as above"
    )

    still: float = threshold(1e-5, "update ratio that is hardly a move", source="as above")
    usual_still: float = threshold(
        1e3, "gradient times weights over loss, if nothing moves", source="tuning half of the zoo"
    )
    sudden: float = threshold(
        5.0, "one gradient against the largest before it", source="tuning half of the zoo"
    )
    deviations: float = threshold(
        15.0, "its distance from the usual one that is a warning", source="as above; 10 was healthy"
    )

    leap: float = threshold(
        8.0,
        "one gradient against the level of the steps before",
        source="tuning half; 5 was healthy",
    )
    beyond: float = threshold(
        3.2, "the same against the largest leap before", source="as above; 3.1 was healthy"
    )
    scatter: float = threshold(
        5.0, "deviations from the level that it must have", source="char-GPTs; 4.7 was healthy"
    )
    unheard: float = threshold(
        5.5, "leap against the largest before …", source="as above; 5.3 was healthy"
    )
    less: float = threshold(
        4.0, "… from which so many deviations are enough", source="as above; 3.8 was healthy"
    )
    alone: float = threshold(
        6.0, "the same of a layer beside the others", source="as above; 5.6 was healthy"
    )
    matters: float = threshold(
        5.0,
        "the same against the usual norm of a typical layer",
        source="char-GPTs; 3.8 was healthy",
    )
    idle: float = threshold(
        5e-3,
        "usual norm of a layer against that of a typical one, below which it is idle",
        source="tuning half: 0.002, a scale that a normalisation undoes",
    )
    even: float = threshold(
        0.4,
        "share of a leap of all layers, as logarithms, that those next to the loss must have",
        source="char-GPTs; 0.29 was natural, 0.54 a fault",
    )
    passed: float = threshold(
        0.65,
        "share of the leap of a layer that is natural if the one before has it",
        source="char-GPTs; 0.85 was natural, 0.6 (once in 23,000) a fault",
    )
    batch: float = threshold(
        2.0, "loss against the usual one, from which the batch is to blame", source="as above"
    )

    def missing(self, window: Window) -> str | None:
        if window.derive(new_jumps):
            return None
        return None if window.of_frames(jump) is not None else self._unknown_proportion(window)

    def _unknown_proportion(self, window: Window) -> str | None:
        loss = window.derive(curve)
        if loss is None or loss.steps < self.steps or len(window.of_frames(elasticity)) < 4:
            return "too few steps were seen"
        return None

    def examine(self, window: Window) -> Finding | None:
        leap = next(
            filter(None, (self._leap(window, one) for one in window.derive(new_jumps))), None
        )
        if leap is not None:
            return leap
        moment = window.of_frames(jump)
        if moment is not None and moment.beyond > self.sudden and moment.norm > moment.usual:
            return self._moment(window, moment)
        loss = window.derive(curve)
        if loss is not None and (loss.learned > self.learned or loss.falling):
            return None
        return None if self._unknown_proportion(window) else self._proportion(window)

    def _leap(self, window: Window, event: Event) -> Finding | None:
        """What the probe saw at one step, if neither the batch nor the kind of net explains it."""
        data, way = event.data, window.of_chart(way_through)
        layers = self.leaping(event, way)
        calm = window.of_chart(is_recurrent) and data["deviations"] < self.deviations
        scatter = self.less if data["beyond"] > self.unheard else self.scatter
        far = data["deviations"] > scatter and data["beyond"] > self.beyond
        even = evenness(event, way, data["ratio"]) > self.even
        common = data["ratio"] > self.leap and far and even
        if not layers and (not common or calm or not loss_ratio(window, event.step) < self.batch):
            return None
        norm, usual = data["norm"], data["usual"]
        whose = "The gradient"
        if layers:
            first, (norm, usual) = max(layers.items(), key=lambda one: one[1][0] / one[1][1])
            more = f" and {len(layers) - 1} other layers" if len(layers) > 1 else ""
            whose = f"The gradient of `{first}`{more}"
        return self.finding(
            window,
            f"{whose} at step {event.step} (norm {norm:.2g}) is {norm / usual:.3g} times the usual "
            "one, and the loss does not explain it. Skip or clip such steps.",
            confidence=0.9,
            where=tuple(layers),
            explains=frozenset(),
            moment=event.step,
            norm=norm,
            usual=usual,
            times_usual=norm / usual,
            threshold=self.leap,
            deviations=data["deviations"],
        )

    def leaping(self, event: Event, way: Way) -> dict[str, list[float]]:
        """The layers that leapt by themselves: their norms, and the usual ones."""
        data = event.data
        typical = data["usual"] / math.sqrt(max(data.get("rows", 1), 1))
        return {
            name: norms
            for name, norms in jumped_layers(event, "up", self.leap, self.alone).items()
            if norms[0] > self.matters * typical
            and norms[1] > self.idle * typical  # a layer that was idle may wake up
            and not passed_on(event, way, name, self.passed)
        }

    def _moment(self, window: Window, moment: Jump) -> Finding:
        grave = moment.deviations > self.deviations and not self._is_natural(window, moment)
        return self.finding(
            window,
            f"The gradient of step {moment.step} (norm {moment.norm:.2g}) is "
            f"{moment.norm / moment.usual:.3g} times the usual one. Skip or clip such steps.",
            severity=Severity.WARNING if grave else Severity.INFO,
            confidence=0.9,
            explains=frozenset(),
            moment=moment.step,
            norm=moment.norm,
            usual=moment.usual,
            against_largest=moment.beyond,
            threshold=self.sudden,
            deviations=moment.deviations,
        )

    def _is_natural(self, window: Window, moment: Jump) -> bool:
        """Whether the probe saw that it began far from the loss."""
        way, ratio = window.of_chart(way_through), moment.norm / moment.usual
        seen = [event for event in window.derive(new_jumps) if event.step == moment.step]
        return any(evenness(event, way, ratio) < self.even for event in seen)

    def _proportion(self, window: Window) -> Finding | None:
        loss, violence = window.derive(curve), window.of_frames(elasticity)
        assert loss is not None
        typical = middle(violence)
        before = float(violence[:4].min()) if len(violence) > 7 else 0.0
        growth = middle(violence[-4:]) / before if before > 0 else 1.0
        exploding = typical > self.usual or (growth > self.growth and loss.rising)
        if weight_growth(window) > self.weights:  # the weights exploded: that is the step
            return None
        still = middle(window.of_frames(moves)) < self.still
        if still and typical < self.usual_still:  # it does not learn because it does not move
            return None
        if not exploding:
            return None
        return self.finding(
            window,
            f"The gradient is out of proportion: times the weights it is {typical:.3g} times the "
            "loss, and the net does not learn. Clip it, and look at the scale of weights and "
            "inputs.",
            severity=Severity.CRITICAL,
            confidence=0.85,
            proportion=typical,
            threshold=self.usual,
            growth=growth,
            learned=loss.learned,
        )
