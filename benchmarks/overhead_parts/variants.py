"""Ways to run one training step: the plain loop, Paramedic, and one-line checks.

A variant is attached to a fresh `Rig` in a process of its own, so that no hook of one variant is
alive where another is timed.
"""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from .workloads import Rig


class Variant:
    """The plain loop; subclasses add their work at two points of the step."""

    name: ClassVar[str] = "plain"
    title: ClassVar[str] = "plain loop"
    packages: ClassVar[tuple[str, ...]] = ()  # that must be installed
    modules: ClassVar[tuple[str, ...]] = ()  # of theirs that are used
    budgeted: ClassVar[bool] = False  # looks at some steps only, and looks harder at first
    share: ClassVar[float] = 0.5  # of the turns: ours need finer figures than theirs

    rig: Rig

    def missing(self) -> str | None:
        """Why this variant cannot run here, or None."""
        absent = [name for name in self.packages if importlib.util.find_spec(name) is None]
        return f"not installed: {', '.join(absent)}" if absent else None

    def prepare(self) -> None:
        """Import what is needed, so that the time of it is not in `attach`."""
        for name in (*self.packages, *self.modules):
            importlib.import_module(name)

    def attach(self, rig: Rig) -> None:
        self.rig = rig

    def detach(self) -> None:
        del self.rig

    def step(self) -> None:
        """One training step with this variant's work in it."""
        rig = self.rig
        rig.optimizer.zero_grad()
        loss = rig.loss()
        loss.backward()
        self.after_backward()
        rig.optimizer.step()
        self.after_step(loss)

    def after_backward(self) -> None:
        """Work between `backward` and `optimizer.step`."""

    def after_step(self, loss: Tensor) -> None:
        """Work after `optimizer.step`."""

    def facts(self) -> dict[str, Any]:
        """What the variant says about its own cost so far."""
        return {}

    def looks(self) -> tuple[int, ...]:
        """How often it looked so far, the dearest kind of look last."""
        return ()


class Control(Variant):
    """The plain loop again: its distance from 1.00 is the noise of the measurement."""

    name = "control"
    title = "nothing (control)"
    share = 1.0


class ClipGradNorm(Variant):
    """`clip_grad_norm_` with a bound that most scripts use."""

    name = "clip"
    title = "`clip_grad_norm_`"
    share = 1.0

    def after_backward(self) -> None:
        torch.nn.utils.clip_grad_norm_(self.rig.model.parameters(), 1.0)


class NormLoop(Variant):
    """The loop everybody writes: one norm and one transfer per parameter."""

    name = "norm-loop"
    title = "`p.grad.norm().item()` per parameter"

    def after_backward(self) -> None:
        self.norms = [p.grad.norm().item() for p in self.rig.model.parameters()]


class Watch(Variant):
    """`paramedic.watch` at its defaults, with a trace file."""

    name = "watch"
    title = "`paramedic.watch`, defaults"
    share = 1.0
    packages = ("paramedic",)
    budgeted = True
    settings: ClassVar[dict[str, Any]] = {}
    traced: ClassVar[bool] = True

    def missing(self) -> str | None:
        if absent := super().missing():
            return absent
        import paramedic

        return None if hasattr(paramedic, "watch") else "not available: no `paramedic.watch`"

    def attach(self, rig: Rig) -> None:
        import paramedic

        super().attach(rig)
        self._folder = tempfile.TemporaryDirectory(prefix="overhead-")
        trace = Path(self._folder.name) / "run.db" if self.traced else None
        self.monitor = paramedic.watch(rig.model, rig.optimizer, trace=trace, **self.settings)

    def detach(self) -> None:
        self.monitor.close()
        self._folder.cleanup()
        super().detach()

    def facts(self) -> dict[str, Any]:
        spent = _numbers(getattr(self.monitor, "spent", {}))
        return {**spent, "trace_bytes": self._trace_bytes()}

    def looks(self) -> tuple[int, ...]:
        looks = self.monitor.spent["looks"]
        return (looks["vitals"], looks["full"])

    def _trace_bytes(self) -> int:
        """Size of the trace on disk, write-ahead log included."""
        return sum(file.stat().st_size for file in Path(self._folder.name).iterdir())


class WatchVitals(Watch):
    """Norms and finiteness of every layer at every step."""

    name = "watch-vitals"
    title = '`paramedic.watch`, every step, `measure="vitals"`'
    budgeted = False
    settings: ClassVar[dict[str, Any]] = {"overhead": None, "measure": "vitals"}


class WatchFull(Watch):
    """All statistics of weights, gradients and activations at every step."""

    name = "watch-full"
    title = '`paramedic.watch`, every step, `measure="full"`'
    budgeted = False
    settings: ClassVar[dict[str, Any]] = {"overhead": None, "measure": "full"}


class WatchVitalsUntraced(WatchVitals):
    """Vitals at every step, kept in memory only."""

    name = "watch-vitals-untraced"
    title = '`paramedic.watch`, every step, `measure="vitals"`, no trace file'
    traced = False


class WatchFullUntraced(WatchFull):
    """Everything at every step, kept in memory only."""

    name = "watch-full-untraced"
    title = '`paramedic.watch`, every step, `measure="full"`, no trace file'
    traced = False


def _numbers(values: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
    """The numbers of a nested mapping, under dotted names."""
    found: dict[str, float] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            found |= _numbers(value, f"{prefix}{key}.")
        elif isinstance(value, int | float):
            found[f"{prefix}{key}"] = value
    return found
