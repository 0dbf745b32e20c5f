"""One forward pass of one module, reduced to numbers while its tensors are there."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor, nn

from paramedic.probe.activations import Reading, read
from paramedic.probe.first_layer import constant_share
from paramedic.probe.glimpse import Glimpse, Version
from paramedic.probe.graph import is_finite
from paramedic.probe.trouble import Bad, bad_arguments

_OFTEN = 64  # calls of one module that are all read; then the 128th, the 256th …
_CANDIDATES = 2  # layers with weights: the first that is not written over reads the samples
_MOST_SHOWN = 4096  # outputs that are known by their identity


class Call(NamedTuple):
    """What is known of the call; nothing in it keeps a tensor or a module of the user's alive."""

    key: int  # the `id` of the module
    kind: str  # its class, or how a loss is called
    is_loss: bool
    is_mean: bool  # a loss that was reported as the mean of what it compares
    training: bool
    inputs: tuple[Glimpse, ...]
    output: Glimpse | None
    version: Version | None
    finite: bool = True
    bad: tuple[Bad, ...] = ()  # arguments, of a call whose output is not finite
    readings: tuple[Reading, ...] | None = None  # None: not read
    constant: float | None = None  # share of units that are equal for all samples

    def let_go(self) -> None:
        """Another call of the same module, or of the same loss, has come: its arguments count."""
        for one in (*self.inputs, self.output):
            if one is not None:
                one.let_go()

    def intact(self) -> bool:
        """Whether nothing was written into the output since."""
        return self.version is None or self.version.intact()


class Subject(NamedTuple):
    """Whose call it is, and what is wanted of it."""

    key: int
    kind: str
    training: bool
    is_loss: bool = False
    is_mean: bool = False
    is_row: bool = False  # its activations are wanted
    is_copied: bool = False  # its arguments and its output are wanted


class CallReader:
    """Reads calls; remembers, until `forget`, which tensors were outputs of earlier ones."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """A backward pass begins."""
        self._shown: dict[int, tuple[weakref.ref[Tensor], bool]] = {}  # by `id`; is it finite
        self._count: dict[int, int] = {}
        self._candidates: set[int] = set()
        self._newest: dict[object, Call] = {}  # whose tensors are copied

    def read(
        self, subject: Subject, module: nn.Module, inputs: Sequence[Tensor], output: Tensor | None
    ) -> Call:
        """The call as it is remembered."""
        call = self._read(subject, module, inputs, output)
        if subject.is_copied or subject.is_loss:
            slot = subject.kind if subject.is_loss else subject.key
            before = self._newest.get(slot)
            if before is not None:
                before.let_go()
            self._newest[slot] = call
        return call

    def _read(
        self, subject: Subject, module: nn.Module, inputs: Sequence[Tensor], output: Tensor | None
    ) -> Call:
        key, kind, training, is_loss, is_mean, is_row, is_copied = subject
        copied = is_copied or is_loss
        seen = tuple([Glimpse(one, copied=copied) for one in inputs])
        shown, version = None, None
        if output is not None:
            shown, version = Glimpse(output, copied=copied), Version(output)
        if not self._is_due(key):
            return Call(key, kind, is_loss, is_mean, training, seen, shown, version)
        readings: tuple[Reading, ...] | None = None
        if is_row:
            is_new = bool(inputs) and self._finiteness(inputs[0]) is None
            readings = read(module, inputs[0] if is_new else None, output)
        finite = output is None or self._is_finite(readings, output)
        if output is not None:
            self._show(output, finite=finite)
        return Call(
            key, kind, is_loss, is_mean, training, seen, shown, version, finite,
            () if finite else bad_arguments(inputs), readings,
            self._constant(subject, module, inputs, output),
        )  # fmt: skip

    def _is_due(self, key: int) -> bool:
        """Of a model that is called again and again without a backward pass ever less is read."""
        count = self._count[key] = self._count.get(key, 0) + 1
        return count <= _OFTEN or not count & (count - 1)

    def _is_finite(self, readings: tuple[Reading, ...] | None, output: Tensor) -> bool:
        level = next((one.levels for one in readings or () if one.levels is not None), None)
        if level is not None:
            return not level[3] > 0
        known = self._finiteness(output)
        return is_finite(output) if known is None else known

    def _finiteness(self, tensor: Tensor) -> bool | None:
        """Whether a tensor is finite, where it is the output of an earlier call; else None."""
        reference, finite = self._shown.get(id(tensor), (None, False))
        return finite if reference is not None and reference() is tensor else None

    def _show(self, output: Tensor, *, finite: bool) -> None:
        if len(self._shown) >= _MOST_SHOWN:
            alive = {key: one for key, one in self._shown.items() if one[0]() is not None}
            self._shown = alive if len(alive) < _MOST_SHOWN // 2 else {}
        self._shown[id(output)] = weakref.ref(output), finite

    def _constant(
        self, subject: Subject, module: nn.Module, inputs: Sequence[Tensor], output: Tensor | None
    ) -> float | None:
        is_known = subject.key in self._candidates
        if subject.is_loss or (not is_known and len(self._candidates) >= _CANDIDATES):
            return None
        share = constant_share(module, inputs, output)
        if share is not None:
            self._candidates.add(subject.key)
        return share
