"""Other tools, used as their manuals say, looking at every step."""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from .variants import Variant
from .workloads import Rig


class TensorBoardHistograms(Variant):
    """One histogram of every gradient at every step, written by a `SummaryWriter`."""

    name = "tensorboard"
    title = "TensorBoard histograms of gradients"
    packages = ("tensorboard",)
    modules = ("torch.utils.tensorboard",)

    def attach(self, rig: Rig) -> None:
        from torch.utils.tensorboard import SummaryWriter

        super().attach(rig)
        self._folder = tempfile.TemporaryDirectory(prefix="overhead-")
        self._writer = SummaryWriter(self._folder.name)
        self._named = list(rig.model.named_parameters())
        self._step = 0

    def after_backward(self) -> None:
        for name, parameter in self._named:
            self._writer.add_histogram(name, parameter.grad, self._step)
        self._step += 1

    def detach(self) -> None:
        self._writer.close()
        self._folder.cleanup()
        del self._named
        super().detach()


class WandbGradients(Variant):
    """`wandb.watch` in offline mode; the loss is logged too, which is what commits a step."""

    name = "wandb-gradients"
    title = "`wandb.watch` gradients (offline)"
    packages = ("wandb",)
    log: ClassVar[str] = "gradients"

    def attach(self, rig: Rig) -> None:
        os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true")
        import wandb

        super().attach(rig)
        self._folder = tempfile.TemporaryDirectory(prefix="overhead-")
        settings = wandb.Settings(
            console="off", silent=True, disable_git=True, x_disable_stats=True, x_disable_meta=True
        )
        self._run = wandb.init(
            project="overhead", dir=self._folder.name, mode="offline", settings=settings
        )
        self._run.watch(rig.model, log=self.log, log_freq=1)

    def after_step(self, loss: Tensor) -> None:
        self._run.log({"loss": loss.item()})

    def detach(self) -> None:
        self._run.unwatch(self.rig.model)
        self._run.finish()
        self._folder.cleanup()
        super().detach()


class WandbAll(WandbGradients):
    """The same for gradients and weights."""

    name = "wandb-all"
    title = "`wandb.watch` gradients + weights (offline)"
    log = "all"


class BTTackler(Variant):
    """BTTackler's tracer: ten statistics of each weight and each gradient, in every batch.

    Written anew from its paper; like the original it copies every tensor to NumPy.
    """

    name = "bttackler"
    title = "BTTackler's ten statistics in NumPy/SciPy"
    packages = ("scipy",)
    modules = ("scipy.stats",)

    def attach(self, rig: Rig) -> None:
        from scipy import stats

        super().attach(rig)
        # A fresh bias is constant, and SciPy says so for each one.
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        self._stats = stats

    def after_backward(self) -> None:
        self.seen = [
            (self._ten(_array(parameter)), self._ten(_array(parameter.grad)))
            for parameter in self.rig.model.parameters()
        ]

    def _ten(self, values: NDArray[np.float32]) -> tuple[float, ...]:
        lower, median, upper = np.percentile(values, (25, 50, 75))
        return (
            float(np.mean(values)),
            float(np.var(values)),
            float(median),
            float(np.min(values)),
            float(np.max(values)),
            float(upper),
            float(lower),
            float(self._stats.skew(values)),
            float(self._stats.kurtosis(values)),
            float(np.mean(values == 0)),
        )


class BTTacklerQuick(Variant):
    """BTTackler's quick mode: mean |g| and the share of zeros of each gradient."""

    name = "bttackler-quick"
    title = 'BTTackler "quick" (two statistics)'

    def after_backward(self) -> None:
        self.seen = [_two(_array(p.grad)) for p in self.rig.model.parameters()]


def _array(tensor: Tensor) -> NDArray[np.float32]:
    return tensor.detach().cpu().numpy().ravel()


def _two(values: NDArray[np.float32]) -> tuple[float, float]:
    return float(np.mean(np.abs(values))), float(np.mean(values == 0))
