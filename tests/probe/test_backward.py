"""Seeing every backward pass once, and changing none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from paramedic.probe.backward import backward_passes, inside_backward


class Observer:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.roots: list[list[float]] = []
        self.graphs: list[bool] = []

    def before_backward(self, roots: Sequence[Tensor]) -> None:
        self.log.append("before")
        self.roots.append([float(root.detach().sum()) for root in roots])
        self.graphs.append(all(root.grad_fn is not None for root in roots))

    def after_backward(self) -> None:
        self.log.append("after")


@contextmanager
def _observed(count: int = 1) -> Iterator[list[Observer]]:
    observers = [Observer() for _ in range(count)]
    for observer in observers:
        backward_passes.observe(observer)
    try:
        yield observers
    finally:
        for observer in observers:
            backward_passes.forget(observer)


def _weight(value: float = 2.0) -> Tensor:
    return torch.tensor([value], requires_grad=True)


def test_a_plain_backward() -> None:
    w = _weight()
    with _observed() as (observer,):
        (w * w).sum().backward()
    assert observer.log == ["before", "after"]
    assert observer.roots == [[4.0]]
    assert observer.graphs == [True]
    assert w.grad.item() == 4.0


def test_everything_is_as_before_when_nobody_observes() -> None:
    original = torch.autograd.backward
    with _observed(2):
        assert torch.autograd.backward is not original
    assert torch.autograd.backward is original


def test_several_observers_see_the_same() -> None:
    w = _weight()
    with _observed(3) as observers:
        (w * 3).sum().backward()
        for observer in observers:
            assert observer.log == ["before", "after"]
            assert observer.roots == [[6.0]]


@pytest.mark.parametrize("already", [0, 1])
def test_who_comes_during_a_pass_sees_it(already: int) -> None:
    """A training that is found at its first backward pass is watched from that pass on."""
    late = Observer()

    class Finder(Observer):
        def before_backward(self, roots: Sequence[Tensor]) -> None:
            super().before_backward(roots)
            if len(self.log) == 1:
                backward_passes.observe(late)

    finder, weight = Finder(), _weight()
    with _observed(already):
        backward_passes.observe(finder)
        try:
            (weight * 3).backward()
            (weight * 3).backward()
        finally:
            backward_passes.forget(finder)
            backward_passes.forget(late)
    assert late.log == finder.log == ["before", "after"] * 2
    assert late.roots == [[6.0], [6.0]]


@pytest.mark.parametrize("kind", [list, tuple, iter])
def test_several_roots(kind: type) -> None:
    """Also from an iterator, which can be read only once."""
    a, b = _weight(2.0), _weight(5.0)
    with _observed() as (observer,):
        torch.autograd.backward(kind([(a * 3).sum(), (b * 7).sum()]))
    assert observer.roots == [[6.0, 35.0]]
    assert (a.grad.item(), b.grad.item()) == (3.0, 7.0)


def test_a_generator_of_roots() -> None:
    weights = [_weight(float(place)) for place in range(3)]
    with _observed() as (observer,):
        torch.autograd.backward((w * 2).sum() for w in weights)
    assert observer.roots == [[0.0, 2.0, 4.0]]
    assert [w.grad.item() for w in weights] == [2.0, 2.0, 2.0]


def test_all_arguments_arrive() -> None:
    w, frozen = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    with _observed() as (observer,):
        y = w * frozen * 2
        torch.autograd.backward(
            tensors=y, grad_tensors=torch.tensor([1.0, 2.0, 3.0]), retain_graph=True, inputs=[w]
        )
        y.backward(torch.ones(3), inputs=[w])
    assert w.grad.tolist() == [4.0, 6.0, 8.0]
    assert frozen.grad is None
    assert observer.log == ["before", "after"] * 2


@pytest.mark.filterwarnings("ignore:Using backward")
def test_higher_derivatives() -> None:
    w = _weight(3.0)
    with _observed() as (observer,):
        (w**3).sum().backward(create_graph=True)
        first = w.grad
        w.grad = None
        first.sum().backward()
    assert w.grad.item() == pytest.approx(18.0)
    assert len(observer.roots) == 2
    w.grad = None


def test_grad_is_not_a_backward_pass() -> None:
    w = _weight()
    with _observed() as (observer,):
        torch.autograd.grad((w * w).sum(), w)
    assert observer.log == []


class Nested(torch.autograd.Function):
    """Runs a backward pass of its own within a backward pass."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: object, grad: Tensor) -> Tensor:
        assert inside_backward()
        with torch.enable_grad():
            inner = torch.ones(1, requires_grad=True)
            (inner * 5).sum().backward()
        return grad * 2


def test_a_backward_inside_a_backward_is_not_told() -> None:
    w = _weight()
    with _observed() as (observer,):
        Nested.apply(w).sum().backward()
    assert observer.roots == [[4.0]]
    assert observer.log == ["before", "after"]
    assert w.grad.item() == 2.0


def test_a_backward_inside_a_gradient_is_not_told() -> None:
    w = _weight()
    with _observed() as (observer,):
        (grad,) = torch.autograd.grad(Nested.apply(w).sum(), w)
    assert observer.log == []
    assert grad.item() == 2.0


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpointing_is_one_backward_pass(reentrant: bool) -> None:
    w = _weight()
    with _observed() as (observer,):
        checkpoint(lambda x: x * x, w, use_reentrant=reentrant).sum().backward()
    assert observer.log == ["before", "after"]
    assert w.grad.item() == 4.0


def test_inside_and_outside() -> None:
    seen: list[bool] = []
    w = _weight()
    w.register_hook(lambda grad: seen.append(inside_backward()))
    assert not inside_backward()
    (w * 2).sum().backward()
    assert seen == [True]
    assert not inside_backward()


def test_an_error_of_the_user_passes_and_the_next_one_is_seen() -> None:
    w = _weight()
    with _observed() as (observer,):
        y = (w * w).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()
        (w * w).sum().backward()
    assert observer.log == ["before", "after", "before", "before", "after"]


def test_gradients_are_complete_when_the_observer_is_told() -> None:
    w = _weight()
    seen: list[float | None] = []

    class Reader(Observer):
        def before_backward(self, roots: Sequence[Tensor]) -> None:
            seen.append(None if w.grad is None else w.grad.item())

        def after_backward(self) -> None:
            seen.append(w.grad.item())

    reader = Reader()
    backward_passes.observe(reader)
    (w * w).sum().backward()
    backward_passes.forget(reader)
    assert seen == [None, 4.0]


def test_a_gradient_edge_as_the_root() -> None:
    w = _weight(3.0)
    edge = torch.autograd.graph.get_gradient_edge((w * w).sum())
    with _observed(0):
        observer = Observer()
        observer.before_backward = lambda roots: observer.log.append("before")  # type: ignore[method-assign]
        backward_passes.observe(observer)
        try:
            torch.autograd.backward(edge, torch.tensor(1.0))
        finally:
            backward_passes.forget(observer)
    assert w.grad.item() == 6.0


class Sub(Tensor):
    """A tensor with a behaviour of its own: torch dispatches its functions a second time."""


def test_a_tensor_subclass_by_its_method() -> None:
    w = torch.ones(2).as_subclass(Sub).requires_grad_()
    with _observed() as (observer,):
        (w * w).sum().backward()
    assert observer.log == ["before", "after"]


def test_a_tensor_subclass_by_the_function() -> None:
    w = torch.ones(2).as_subclass(Sub).requires_grad_()
    with _observed() as (observer,):
        torch.autograd.backward((w * w).sum())
    assert w.grad.tolist() == [2.0, 2.0]
    assert observer.log == ["before", "after"]
