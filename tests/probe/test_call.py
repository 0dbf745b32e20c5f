"""Calls are reduced to numbers at once: nothing of the user's is kept alive by watching."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

import paramedic
from paramedic.probe.call import CallReader, Subject


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 4)
        self.hidden: list[StorageWeakRef] = []

    def forward(self, x: Tensor) -> Tensor:
        before = self.first(x)
        self.hidden.append(StorageWeakRef(before.untyped_storage()))
        return self.last(before.sigmoid())


@contextmanager
def _watched(model: nn.Module, **options: Any) -> Iterator[torch.optim.Optimizer]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, strict=True, trace=None, **options):
        yield optimizer


@pytest.mark.parametrize("overhead", [None, 0.01])
def test_outputs_die_when_the_user_drops_them(overhead: float | None) -> None:
    model = Net()
    with _watched(model, overhead=overhead) as optimizer:
        for _ in range(12):
            for _ in range(3):  # without `no_grad`, and without a backward pass
                output = model(torch.ones(2, 8))
                reference, memory = weakref.ref(output), StorageWeakRef(output.untyped_storage())
                assert model.hidden.pop().expired()
                del output
                assert reference() is None
                assert memory.expired()
            loss = F.mse_loss(model(torch.ones(2, 8)), torch.zeros(2, 4))
            loss.backward()
            seen = weakref.ref(loss)
            del loss
            assert seen() is None
            optimizer.step()
            gradient = weakref.ref(model.first.bias.grad)
            optimizer.zero_grad()
            assert gradient() is None


def test_the_loss_of_somebody_elses_backward_pass_is_let_go_of() -> None:
    model, other = Net(), nn.Linear(3, 1)
    with _watched(model, overhead=None):
        loss = other(torch.ones(2, 3)).sum()
        loss.backward()
        seen = weakref.ref(loss)
        del loss
        assert seen() is None


def test_a_batch_is_let_go_of_with_replay() -> None:
    model = Net()
    with _watched(model, on_nan="replay") as optimizer:
        given = torch.ones(2, 8)
        model(given).sum().backward()
        optimizer.step()
        seen = weakref.ref(given)
        del given
        optimizer.zero_grad()
        assert seen() is None


@pytest.mark.parametrize("checkpointed", [False, True])
def test_what_is_held_between_forward_and_backward(checkpointed: bool) -> None:
    """No more tensors are alive than unwatched: of checkpointed blocks, only what autograd has."""
    block = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))
    blocks = nn.ModuleList([block, nn.Linear(64, 64)])
    held: dict[bool, int] = {}

    def run(watch: bool) -> None:
        sizes: list[StorageWeakRef] = []

        def note(module: nn.Module, args: Any, output: Tensor) -> None:
            sizes.append(StorageWeakRef(output.untyped_storage()))

        handles = [one.register_forward_hook(note) for one in block]
        with _watched(blocks, overhead=None) if watch else nullcontext():
            x = torch.ones(32, 64)
            for _ in range(4):
                x = checkpoint(block, x, use_reentrant=False) if checkpointed else block(x)
            held[watch] = sum(not one.expired() for one in sizes)
            x.sum().backward()
        for handle in handles:
            handle.remove()

    run(False)
    run(True)
    assert held[True] == held[False]


def test_many_forward_passes_without_a_backward_pass() -> None:
    """What is remembered of them does not grow with them."""
    model = Net()
    with _watched(model, overhead=None) as optimizer:
        for _ in range(2000):
            model(torch.ones(2, 8))
            model.hidden.clear()
        assert len(paramedic.probe.forward._open[-1].calls) <= 4096
        copies = [
            one
            for call in paramedic.probe.forward._open[-1].calls
            for one in (*call.inputs, call.output)
            if one is not None and one._copy is not None
        ]
        assert len(copies) == 2  # the input and the output of the last one
        model(torch.ones(2, 8)).sum().backward()
        optimizer.step()


def test_a_mode_of_the_program_does_not_see_what_is_read() -> None:
    """Selective checkpointing keeps what such a mode sees, and takes it up in the same order."""
    seen: dict[bool, list[str]] = {}

    class Sees(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            names.append(str(func))
            return func(*args, **(kwargs or {}))

    model = Net()
    for watch in (False, True):
        names = seen[watch] = []
        with _watched(model, overhead=None) if watch else nullcontext(), Sees():
            model(torch.ones(2, 8))
    assert seen[True] == seen[False]


def test_a_function_that_is_transformed_is_left_alone() -> None:
    model = nn.Linear(3, 1)
    values = {name: one.detach() for name, one in model.named_parameters()}
    x = torch.ones(2, 3)
    with _watched(model, overhead=None) as optimizer:
        torch.func.grad(lambda own: torch.func.functional_call(model, own, (x,)).sum())(values)
        model(x).sum().backward()
        optimizer.step()


def test_of_very_many_calls_fewer_and_fewer_are_read() -> None:
    module, reader = nn.Linear(2, 2), CallReader()
    subject = Subject(id(module), "Linear", True, is_row=True)
    x = torch.ones(3, 2)
    calls = [reader.read(subject, module, [x], module(x)) for _ in range(300)]
    read = [place for place, call in enumerate(calls, 1) if call.readings is not None]
    assert read == [*range(1, 65), 128, 256]
