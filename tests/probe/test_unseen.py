from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import paramedic
from paramedic.probe.unseen import Unseen, has_modes, is_readable_now


class Operations(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


class Functions(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(getattr(func, "__name__", "?"))
        return func(*args, **(kwargs or {}))


class Strict(Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise TypeError("not with me")


class Answering(Tensor):
    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise TypeError("not with me")


def test_nobody_sees_what_is_computed() -> None:
    strict = torch.ones(3).as_subclass(Strict)
    with Operations() as operations, Functions() as functions:
        assert has_modes()
        with Unseen():
            assert not has_modes()
            assert float(strict.sum()) == 3.0
        assert has_modes()
        torch.ones(2).sum()
    assert operations.seen == ["aten.ones.default", "aten.sum.default"]
    assert "sum" in functions.seen
    assert len(functions.seen) == 2
    with pytest.raises(TypeError, match="not with me"):
        strict.sum()


def test_numbers_are_readable_unless_somebody_answers_for_them() -> None:
    assert is_readable_now([torch.ones(2), nn.Parameter(torch.ones(2))])
    with Unseen():
        assert is_readable_now([torch.ones(2).as_subclass(Strict)])
    assert not is_readable_now([torch.ones(2).as_subclass(Answering)])
    inside = []
    torch.func.vmap(lambda one: (inside.append(is_readable_now([])), one)[1])(torch.ones(2))
    assert inside == [False]


@pytest.mark.parametrize("overhead", [None, 0.01])
def test_a_watched_program_sees_its_own_operations_alone(overhead: float | None) -> None:
    def seen(*, watched: bool) -> tuple[list[str], list[str]]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(5, 3)
        operations, functions = Operations(), Functions()
        monitor = paramedic.watch(model, optimizer, overhead=overhead) if watched else None
        for _ in range(30):
            with operations, functions:
                optimizer.zero_grad()
                model(x).pow(2).mean().backward()
                optimizer.step()
        if monitor is not None:
            assert monitor.last_step == 29
            assert not monitor.guard.disabled
            monitor.close()
        return operations.seen, functions.seen

    assert seen(watched=True) == seen(watched=False)
