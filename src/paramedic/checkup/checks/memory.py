"""C004: what a forward pass and a training step take of memory."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.optim import Optimizer

from paramedic.checkup.check import Check, Outcome
from paramedic.checkup.footprint import Kept, Live
from paramedic.checkup.patient import Patient
from paramedic.checkup.words import sized
from paramedic.types import Finding

# Numbers that an optimizer keeps per weight; the history of LBFGS has a hundred pairs.
_STATES = {"Adagrad": 1, "RMSprop": 1, "Rprop": 2, "Adadelta": 2, "LBFGS": 200}


@dataclass(frozen=True, slots=True)
class Memory(Check):
    """An estimate of the memory that a forward pass and a training step of the whole batch take.

    Counted are weights and buffers, what is alive at once in a forward pass, what autograd keeps
    for the backward pass, gradients, and the state of the optimizer; not what libraries use for
    themselves. Measured on two and on three samples and extended to the whole batch. Fails only
    above `memory_limit`, or above what the device has free.
    """

    code = "C004"
    slug = "memory"

    def run(self, patient: Patient) -> Outcome:
        model = patient.model
        weights = _bytes(model)
        learning = sum(one.numel() * one.element_size() for _, one in patient.trainable())
        states = _states(patient.optimizer) * learning
        live, kept = self._per_batch(patient)
        forward = weights + live
        step = weights + learning + states + max(kept, live)
        words = (
            f"a forward pass takes about {sized(forward)}, a training step {sized(step)}: weights "
            f"{sized(weights)}, gradients {sized(learning)}, optimizer {sized(states)}, "
            f"activations {sized(max(kept, live))} for {max(patient.whole.size, 1)} samples"
        )
        limit, whose = _limit(patient)
        numbers = {"forward": forward, "training_step": step, "weights": weights,
                   "gradients": learning, "optimizer": states, "activations": kept}  # fmt: skip
        return self.outcome(f"{words}.", [self._above(step, limit, whose, words)], **numbers)

    def _above(self, step: float, limit: float, whose: str, words: str) -> Finding | None:
        if step <= limit:
            return None
        return self.finding(
            f"A training step needs {sized(step)}, more than {whose} ({sized(limit)}): {words}.",
            training_step=step, threshold=limit,
        )  # fmt: skip

    def _per_batch(self, patient: Patient) -> tuple[int, int]:
        """Bytes alive at once in a forward pass, and kept for the backward pass."""
        whole = patient.whole
        if whole.uneven or whole.size < 3:
            return _measured(patient, whole.size, sliced=False)
        (live_one, kept_one), (live_two, kept_two) = (
            _measured(patient, count, sliced=True) for count in (2, 3)
        )
        more = whole.size - 2
        live = live_one + more * max(0, live_two - live_one)
        return live, kept_one + more * max(0, kept_two - kept_one)


def _measured(patient: Patient, count: int, *, sliced: bool) -> tuple[int, int]:
    batch = patient.whole.take(count) if sliced else patient.whole
    live, kept = Live(), Kept(patient.model)
    with torch.no_grad(), live:
        patient.output(batch)
    with kept.counted():
        patient.objective(batch)
    return live.most, kept.bytes


def _bytes(model: nn.Module) -> int:
    tensors = {id(one): one for one in (*model.parameters(), *model.buffers())}
    return sum(one.numel() * one.element_size() for one in tensors.values())


def _states(optimizer: Optimizer | None) -> int:
    """Numbers that an optimizer keeps per weight; without one, Adam's two."""
    if optimizer is None:
        return 2
    if type(optimizer).__name__ == "SGD":
        return int(any(group.get("momentum") for group in optimizer.param_groups))
    return _STATES.get(type(optimizer).__name__, 2)


def _limit(patient: Patient) -> tuple[float, str]:
    if patient.options.memory_limit is not None:
        return patient.options.memory_limit, "the limit that was set"
    device = next((one.device for one in patient.model.parameters()), torch.device("cpu"))
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0], f"`{device}` has free"
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system tells
        return float("inf"), ""
    return float("inf") if free <= 0 else max(free, _reclaimable()), "this machine has free"


def _reclaimable() -> float:
    """What Linux can hand out at once: free pages and those it only keeps for speed."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0.0
