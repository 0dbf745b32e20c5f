"""The steps between two looks: the loss is noted, and anything odd wakes the loop."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from paramedic.probe import native
from paramedic.probe.guard import Guard
from paramedic.probe.idle import Idle, Note

pytestmark = pytest.mark.usefixtures("way")

NAN, INF = float("nan"), float("inf")


class Sleeper:
    """An idle loop of one parameter, what it noted, and how often it woke."""

    def __init__(self, due: int = 100, *, strict: bool = True) -> None:
        self.weight = torch.ones(4, requires_grad=True)
        self.notes: list[Note] = []
        self.jumps = False
        self.woken: list[Sequence[Tensor] | None] = []
        self.turns = False
        self.idle = Idle(Guard(strict=strict), self.notes, self._wake, lambda step: self.turns)
        self.idle.start(10, due, self.weight, (lambda: self.jumps, 1, 1))

    def _wake(self, roots: Sequence[Tensor] | None) -> None:
        self.woken.append(roots)
        self.idle.active = False

    def backward(self, loss: Tensor) -> None:
        self.idle.before_backward((loss,))
        loss.backward()
        if self.idle.active:
            self.idle.after_backward()


def test_losses_are_noted_step_by_step() -> None:
    sleeper = Sleeper()
    for scale in (1.0, 2.0):
        sleeper.backward((sleeper.weight * scale).sum())
        assert not sleeper.idle.end_step()
    assert sleeper.notes == [(10, 4.0, True, False), (11, 8.0, True, False)]
    assert (sleeper.idle.step, sleeper.idle.batches) == (12, 2)
    assert sleeper.woken == []


@pytest.mark.parametrize("set_to_none", [True, False])
def test_losses_of_one_step_are_added(set_to_none: bool) -> None:
    sleeper = Sleeper()
    optimizer = torch.optim.SGD([sleeper.weight], lr=0.0)
    for _ in range(2):
        for scale in (1.0, 2.0):
            sleeper.backward((sleeper.weight * scale).sum())
        sleeper.idle.end_step()
        optimizer.zero_grad(set_to_none=set_to_none)
    assert [note[1] for note in sleeper.notes] == [12.0, 12.0]
    assert sleeper.idle.batches == 4


def test_somebody_elses_backward_pass_is_not_noted() -> None:
    sleeper, other = Sleeper(), torch.ones(2, requires_grad=True)
    sleeper.backward((other * 50).sum())
    sleeper.backward(sleeper.weight.sum())
    sleeper.backward((other * 50).sum())
    sleeper.idle.end_step()
    sleeper.idle.end_step()
    assert sleeper.notes == [(10, 4.0, True, False), (11, None, True, False)]
    assert sleeper.idle.batches == 1


def test_a_loss_that_was_handed_in_counts_once() -> None:
    sleeper = Sleeper()
    for step in range(2):
        sleeper.backward(sleeper.weight.sum())
        if step == 0:
            sleeper.idle.given = 0.5
        sleeper.idle.end_step()
    assert [note[1] for note in sleeper.notes] == [0.5, 4.0]


def test_a_loss_that_was_handed_in_may_be_nan() -> None:
    sleeper = Sleeper()
    sleeper.backward(sleeper.weight.sum())
    sleeper.idle.given = NAN
    sleeper.idle.end_step()
    assert sleeper.notes[0][2] is False


def test_the_step_that_is_due() -> None:
    sleeper = Sleeper(due=13)
    assert [sleeper.idle.end_step() for _ in range(3)] == [False, False, True]


def test_handing_back() -> None:
    sleeper = Sleeper(due=13)
    for _ in range(3):
        sleeper.backward(sleeper.weight.sum())
        sleeper.idle.end_step()
    steps, seconds, cost = sleeper.idle.stop()
    assert steps == 3
    assert 0 < cost <= 3 * seconds
    assert not sleeper.idle.active


@pytest.mark.parametrize("bad", [NAN, INF])
def test_a_loss_that_is_not_finite_wakes_before_the_backward_pass(bad: float) -> None:
    sleeper = Sleeper()
    loss = (sleeper.weight * bad).sum()
    sleeper.backward(loss)
    assert sleeper.woken == [(loss,)]
    assert sleeper.notes == []


@pytest.mark.parametrize(
    "roots",
    [
        lambda w: (w.sum(), w.sum()),
        lambda w: (w * 2,),
        lambda w: (torch.ones((), device="meta"),),
    ],
    ids=["several", "vector", "elsewhere"],
)
def test_what_is_no_plain_loss_wakes(roots: Any) -> None:
    sleeper = Sleeper()
    made = roots(sleeper.weight)
    sleeper.idle.before_backward(made)
    assert sleeper.woken == [made]


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_a_gradient_that_is_not_finite_wakes_after_the_backward_pass(
    bad: float, dtype: torch.dtype
) -> None:
    sleeper = Sleeper()
    sleeper.idle.sentinel = sleeper.weight = torch.ones(4, dtype=dtype, requires_grad=True)
    sleeper.weight.register_hook(lambda grad: grad * torch.tensor([1, bad, 1, 1], dtype=dtype))
    sleeper.backward(sleeper.weight.sum())
    assert sleeper.woken == [None]
    assert sleeper.idle.loss == 4.0


def test_an_error_of_ours_switches_the_part_off(caplog: pytest.LogCaptureFixture) -> None:
    sleeper = Sleeper(strict=False)
    sleeper.idle.before_backward((None,))  # type: ignore[arg-type]
    assert sleeper.woken == [None]
    assert "AttributeError" in sleeper.idle._guard.disabled["backward"]
    with pytest.raises(AttributeError):
        Sleeper(strict=True).idle.before_backward((None,))  # type: ignore[arg-type]


def test_a_pass_that_starts_from_no_tensor_wakes() -> None:
    sleeper = Sleeper(strict=True)
    sleeper.idle.before_backward(())
    assert sleeper.woken == [()]


class Wrapper(Tensor):
    """A tensor whose values live elsewhere, as those of a DTensor: its own pointer is null."""

    inner: Tensor

    @staticmethod
    def __new__(cls, inner: Tensor) -> Wrapper:
        made = Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        plain = [one.inner if isinstance(one, Wrapper) else one for one in args]
        return func(*plain, **(kwargs or {}))


def test_a_sharded_gradient_is_not_for_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def finite(pointer: int, size: int) -> int:
        asked.append(pointer)
        return 1

    monkeypatch.setattr(native, "kernel", SimpleNamespace(finite=finite))
    sleeper = Sleeper()
    sleeper.idle.sentinel = SimpleNamespace(grad=None)  # type: ignore[assignment]
    sleeper.idle.before_backward((torch.tensor(1.0),))
    sleeper.idle.sentinel.grad = Wrapper(torch.tensor([NAN]))
    sleeper.idle.after_backward()
    assert asked == []
    assert sleeper.woken == [None]


def test_a_jump_of_the_gradient_wakes() -> None:
    sleeper = Sleeper()
    sleeper.jumps = True
    sleeper.backward(sleeper.weight.sum())
    assert sleeper.woken == [None]
    assert sleeper.idle.jumped


def test_a_change_of_mode_ends_it() -> None:
    sleeper = Sleeper()
    assert not sleeper.idle.end_step()
    sleeper.turns = True
    assert sleeper.idle.end_step()
    assert sleeper.idle.turned
