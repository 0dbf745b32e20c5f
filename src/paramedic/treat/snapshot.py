"""Good states of a run, kept in memory to come back to.

Taking one reads and copies; it draws no random number and changes nothing. At most two are kept,
and the memory of the older one is used again: that of the host, so that no accelerator runs out
of its own because of us.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.amp.grad_scaler import GradScaler
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from paramedic.probe.tensors import local
from paramedic.treat.buffers import named_buffers

_MOST = 2


@dataclass(slots=True)
class Snapshot:
    """The state before a step was taken.

    Not in it: the learning rates and the schedule, which belong to the user's count of steps, and
    go on.
    """

    step: int
    parameters: list[tuple[Tensor, Tensor]]  # live, copy
    buffers: list[tuple[Tensor, Tensor]]
    states: list[tuple[Optimizer, dict[Tensor, Any]]]
    scaler: tuple[GradScaler, dict[str, Any]] | None
    random: list[Tensor]  # of the host, then of each CUDA device

    @torch.no_grad()
    def restore(self, *, random: bool) -> None:
        """Make the live tensors what they were.

        `random` also sets back torch's random streams. A loop that draws its batches from them
        would then see the same batches again.
        """
        for live, copy in (*self.parameters, *self.buffers):
            local(live).copy_(copy)
        for optimizer, states in self.states:
            for parameter in set(optimizer.state) - set(states):
                del optimizer.state[parameter]
            for parameter, state in states.items():
                there = optimizer.state.get(parameter)
                optimizer.state[parameter] = _put_back(there, state, parameter.device)
        if self.scaler is not None:
            scaler, state = self.scaler
            scaler.load_state_dict(state)
        if random:
            torch.set_rng_state(self.random[0])
            if len(self.random) > 1:
                torch.cuda.set_rng_state_all(self.random[1:])


class Snapshots:
    """Takes snapshots and keeps the last two: it may be known only later that a run went wrong."""

    def __init__(self, models: Mapping[str, nn.Module], optimizers: Sequence[Optimizer]) -> None:
        self._models = tuple(models.values())
        self._optimizers = tuple(optimizers)
        self._kept: list[Snapshot] = []

    def __len__(self) -> int:
        return len(self._kept)

    @torch.no_grad()
    def take(self, step: int, scaler: GradScaler | None = None, *, between: bool = False) -> None:
        """Keep the state as it is now, before `step`. One that is taken before its time, in
        `between`, takes the place of the newest, so that the other stays as old as it should be.
        """
        oldest, newest = 0, -1
        full = len(self._kept) == _MOST
        retired = self._kept.pop(newest if between else oldest) if full else None
        known: dict[int, Tensor] = {}
        states: dict[int, Any] = {}
        if retired is not None:
            known = {id(live): copy for live, copy in (*retired.parameters, *retired.buffers)}
            states = {id(optimizer): old for optimizer, old in retired.states}
        self._kept.append(
            Snapshot(
                step=step,
                parameters=[(one, _copied(one, known.get(id(one)))) for one in self._parameters()],
                buffers=[(one, _copied(one, known.get(id(one)))) for one in self._buffers()],
                states=[
                    (one, _copied(dict(one.state), states.get(id(one)))) for one in self._optimizers
                ],
                scaler=None if scaler is None else (scaler, scaler.state_dict()),
                random=_random(),
            )
        )

    def before(self, step: int) -> Snapshot | None:
        """The newest snapshot that is not younger than `step`."""
        return next((one for one in reversed(self._kept) if one.step <= step), None)

    def forget_after(self, step: int) -> None:
        """Drop those that are younger than `step`."""
        self._kept = [one for one in self._kept if one.step <= step]

    def _parameters(self) -> Iterator[Tensor]:
        """Everything that is trained, once each."""
        seen: set[int] = set()
        groups = [group for one in self._optimizers for group in one.param_groups]
        trained = [one for model in self._models for one in model.parameters() if one.requires_grad]
        for one in (*trained, *(one for group in groups for one in group["params"])):
            if id(one) not in seen and not is_lazy(one):
                seen.add(id(one))
                yield one

    def _buffers(self) -> Iterator[Tensor]:
        for table, name in named_buffers(self._models):
            buffer = table[name]
            if buffer is not None:
                yield buffer


def _random() -> list[Tensor]:
    used = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    devices = torch.cuda.get_rng_state_all() if used else []
    return [torch.get_rng_state(), *devices]


def _copied(value: Any, into: Any = None) -> Any:
    """A copy, on the host, of tensors in any nest, written over an earlier copy where it fits."""
    if isinstance(value, Tensor):
        own = local(value.detach())
        if isinstance(into, Tensor) and own.shape == into.shape and own.dtype is into.dtype:
            return into.copy_(own)
        return own.to("cpu", copy=True)
    if isinstance(value, dict):
        old = into if isinstance(into, dict) else {}
        return {key: _copied(one, old.get(key)) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copied(one) for one in value)
    return value


def _put_back(live: Any, copy: Any, device: torch.device) -> Any:
    """What was copied, in the tensors that are there where they fit, else in new ones."""
    if isinstance(copy, Tensor):
        if isinstance(live, Tensor) and local(live).shape == copy.shape:
            local(live).copy_(copy)
            return live
        return copy.to(device, copy=True)
    if isinstance(copy, dict):
        there = live if isinstance(live, dict) else {}
        return {key: _put_back(there.get(key), one, device) for key, one in copy.items()}
    if type(copy) in (list, tuple):
        return type(copy)(_put_back(None, one, device) for one in copy)
    return copy
