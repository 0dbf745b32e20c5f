"""One turn of the loop: its loss, its scale, and whether a backward pass was ours."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from paramedic.probe.cycle import Cycle, GradientMarks, single_number
from paramedic.probe.origin import Origin

NAN, INF = float("nan"), float("inf")


def _cycle(loss: float | Tensor | None, scale: float = 1.0, **values: Any) -> Cycle:
    cycle = Cycle("full", loss=loss, scale=scale, **values)
    cycle.unscale_loss()
    return cycle


def _origin(kind: str) -> Origin:
    return Origin(kind, "", "seen")


# -- the loss --------------------------------------------------------------------------------


def test_a_loss_is_the_sum_of_its_backward_passes() -> None:
    cycle = Cycle(None)
    assert cycle.loss is None
    cycle.add_loss(1.5, [torch.tensor(1.5)])
    cycle.add_loss(2.0, [torch.tensor(2.0)])
    assert cycle.loss == 3.5


def test_several_roots_are_added() -> None:
    cycle = Cycle(None)
    cycle.add_loss(None, [torch.tensor(1.0), torch.tensor([2.0]), torch.tensor([[4.0]])])
    assert cycle.loss == 7.0


def test_what_is_no_single_number_is_no_loss() -> None:
    cycle = Cycle(None)
    cycle.add_loss(None, [torch.ones(3), torch.tensor(1j)])
    assert cycle.loss is None
    cycle.add_loss(None, [torch.ones(3), torch.tensor(2.0)])
    assert cycle.loss == 2.0


def test_a_loss_on_another_device_is_not_read() -> None:
    cycle = Cycle(None)
    for _ in range(2):
        cycle.add_loss(None, [torch.ones((), device="meta", requires_grad=True)])
    assert isinstance(cycle.loss, Tensor)
    assert cycle.loss.is_meta
    assert not cycle.loss.requires_grad
    cycle.scale = 4.0
    cycle.unscale_loss()
    assert isinstance(cycle.loss, Tensor)


@pytest.mark.parametrize(
    ("roots", "value"),
    [
        ([torch.tensor(2.5)], 2.5),
        ([torch.tensor([[2.5]], requires_grad=True)], 2.5),
        ([torch.tensor(2.5).half()], 2.5),
        ([torch.tensor(1.0), torch.tensor(2.0)], None),
        ([torch.ones(2)], None),
        ([torch.tensor(1j)], None),
        ([torch.ones((), device="meta")], None),
    ],
)
def test_a_loss_that_can_be_read_without_waiting(roots: list[Tensor], value: float | None) -> None:
    assert single_number(roots) == value


# -- scales ----------------------------------------------------------------------------------


def test_the_scale_is_undone() -> None:
    cycle = _cycle(1024.0, 512.0)
    assert (cycle.loss, cycle.loss_finite) == (2.0, True)


def test_no_loss_has_no_scale() -> None:
    cycle = _cycle(None, 512.0)
    assert (cycle.loss, cycle.loss_finite) == (None, True)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_without_a_scaler_a_bad_loss_is_a_bad_loss(bad: float) -> None:
    cycle = _cycle(bad, origin=_origin("loss"))
    assert not cycle.loss_finite
    assert not math.isfinite(cycle.loss)
    assert cycle.origin == _origin("loss")


def test_a_loss_that_only_the_scale_made_infinite_is_not_known() -> None:
    cycle = _cycle(INF, 65536.0, origin=_origin("loss"))
    assert (cycle.loss, cycle.loss_finite, cycle.origin) == (None, True, None)


def test_a_nan_is_not_the_fault_of_the_scale() -> None:
    cycle = _cycle(NAN, 65536.0, origin=_origin("module"))
    assert not cycle.loss_finite
    assert cycle.origin == _origin("module")


def test_a_step_that_the_scaler_skipped_needs_no_origin() -> None:
    assert _cycle(1.0, 65536.0, skipped=True, origin=_origin("gradient")).origin is None
    assert _cycle(1.0, 65536.0, skipped=False, origin=_origin("gradient")).origin is not None
    assert _cycle(1.0, 65536.0, skipped=True, origin=_origin("weight")).origin is not None


# -- gradients -------------------------------------------------------------------------------


def _parameters() -> list[Tensor]:
    return [torch.ones(2, requires_grad=True) for _ in range(3)]


def test_which_gradients_a_backward_pass_touched() -> None:
    a, b, c = _parameters()
    marks = GradientMarks()
    assert marks.touched() == []
    marks.watch([a, b, c])
    assert marks.touched() == []
    (a * 2 + c).sum().backward()
    assert [id(p) for p in marks.touched()] == [id(a), id(c)]
    marks.watch([a, b, c])
    assert marks.touched() == []
    (a + b).sum().backward()  # adds to one, makes another
    assert [id(p) for p in marks.touched()] == [id(a), id(b)]


def test_gradients_that_were_taken_away_are_not_touched() -> None:
    a, b, _ = _parameters()
    (a + b).sum().backward()
    marks = GradientMarks()
    marks.watch([a, b])
    a.grad = None
    assert marks.touched() == []
    b.grad.mul_(0.5)
    assert marks.touched() == [b]
