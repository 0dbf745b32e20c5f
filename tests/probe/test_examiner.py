"""What is done at a look, as the loop asks for it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paramedic.probe.cycle import Cycle
from paramedic.probe.examiner import Examiner
from paramedic.probe.forward import ForwardTap
from paramedic.probe.guard import Guard
from paramedic.probe.options import Options
from paramedic.probe.schedule import FULL, VITALS
from paramedic.types import Task
from paramedic.vocabulary import ACTIVATIONS, GRADIENTS, SCALARS, WEIGHTS


def _model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))


def _examiner(model: nn.Module, *optimizers: torch.optim.Optimizer, **options: Any) -> Examiner:
    optimizers = optimizers or (torch.optim.SGD(model.parameters(), lr=0.1),)
    return Examiner({"": model}, optimizers, Options(**options), Guard(strict=True))


def _look(
    examiner: Examiner, model: nn.Module, level: str = FULL, scale: float = 1.0
) -> tuple[Cycle, Tensor]:
    """One turn of a loop, without the step."""
    cycle = Cycle(level, scale=scale)
    tap = ForwardTap(examiner.modules)
    tap.open()
    x = torch.randn(8, 4, generator=torch.Generator().manual_seed(1))
    loss = F.cross_entropy(model(x), torch.tensor([0, 1, 2, 0, 0, 0, 1, 1]))
    calls = tap.take()
    tap.close()
    if level == FULL:
        examiner.forward_seen(calls, [loss])
    model.zero_grad()
    (loss * scale).backward()
    cycle.loss, cycle.backwards = loss.item(), 1
    examiner.backward_seen(cycle)
    return cycle, loss.detach()


def _norm(module: nn.Module) -> float:
    return math.sqrt(sum(float(p.grad.double().pow(2).sum()) for p in module.parameters()))


# -- the chart -------------------------------------------------------------------------------


def test_the_first_chart() -> None:
    model = _model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.25, betas=(0.5, 0.75))
    chart = _examiner(model, optimizer, accumulate=3).chart
    assert [layer.name for layer in chart.layers] == ["0", "1", "2"]
    (described,) = chart.optimizers
    assert described["name"] == "AdamW"
    assert (described["lr"], described["betas"], described["groups"]) == (0.25, (0.5, 0.75), 1)
    assert (chart.loss, chart.task, chart.task_source) == (None, Task.UNKNOWN, "not inferred")
    assert (chart.accumulate, chart.device, chart.world_size) == (3, "cpu", 1)
    assert not chart.compiled
    assert chart.versions["torch"] == str(torch.__version__)


def test_what_the_batch_tells() -> None:
    model = _model()
    examiner = _examiner(model)
    cycle, _ = _look(examiner, model)
    chart = examiner.chart
    assert (chart.loss, chart.task, chart.batch_size) == ("cross-entropy", Task.MULTI_CLASS, 8)
    assert "cross-entropy" in chart.task_source
    assert examiner.labels.table() == {0: 4, 1: 3, 2: 1}
    assert cycle.scalars["target_classes"] == 3.0
    _look(examiner, model)
    assert examiner.labels.table()[0] == 8


def test_inputs_that_were_not_seen_at_first_are_told_later() -> None:
    model = _model()
    examiner = _examiner(model)
    loss = F.cross_entropy(model(torch.randn(8, 4)), torch.tensor([0, 1, 2, 0, 0, 0, 1, 1]))
    examiner.forward_seen([], [loss])  # its forward pass ran before we were there
    loss.backward()
    examiner.backward_seen(Cycle(FULL))
    assert examiner.chart.task is Task.MULTI_CLASS
    assert examiner.chart.input_kind is None
    _look(examiner, model)
    assert examiner.chart.input_kind == "float"


def test_what_the_user_said_is_not_inferred_away() -> None:
    model = _model()
    examiner = _examiner(model, task="regression", loss_fn=F.mse_loss)
    assert (examiner.chart.loss, examiner.chart.task) == ("mse", Task.REGRESSION)
    _look(examiner, model)
    assert examiner.chart.task is Task.REGRESSION
    assert examiner.chart.task_source == "set by the user"


def test_a_chart_that_says_the_same_is_the_same() -> None:
    """The recorder writes a chart when it is another object."""
    model = _model()
    examiner = _examiner(model)
    _look(examiner, model)
    chart = examiner.chart
    for _ in range(3):
        cycle, _ = _look(examiner, model)
        examiner.at_rest(cycle)
    assert examiner.chart is chart


def test_groups_of_backward_passes_only_grow() -> None:
    examiner = _examiner(_model())
    for backwards in (4, 2, 1):
        examiner.accumulates(backwards)
    assert examiner.chart.accumulate == 4


def test_the_order_of_execution_is_fixed_by_the_first_forward_pass() -> None:
    class Backwards(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.last, self.first = nn.Linear(5, 3), nn.Linear(4, 5)

        def forward(self, x: Tensor) -> Tensor:
            return self.last(self.first(x))

    model = Backwards()
    examiner = _examiner(model)
    cycle, _ = _look(examiner, model)
    assert [layer.name for layer in examiner.chart.layers] == ["first", "last"]
    assert all(layer.executed for layer in examiner.chart.layers)
    frame = examiner.frame(0, cycle, 0.0)
    assert frame.layers["grad_norm"] == pytest.approx(
        [_norm(model.first), _norm(model.last)], rel=1e-6
    )


def test_rows_keep_their_places_once_a_frame_refers_to_them() -> None:
    """The first forward pass may be missed; then the order is known, and the rows stay."""

    class Swapped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.last, self.first = nn.Linear(5, 3), nn.Linear(4, 5)

        def forward(self, x: Tensor) -> Tensor:
            return self.last(self.first(x))

    model = Swapped()
    examiner = _examiner(model)
    examiner.frame(0, _look(examiner, model, VITALS)[0], 0.0)
    _look(examiner, model)
    layers = {layer.name: layer.order for layer in examiner.chart.layers}
    assert [name for name in layers if name in ("first", "last")] == ["last", "first"]
    assert layers["first"] < layers["last"]


def test_modules_that_come_later() -> None:
    model = _model()
    examiner = _examiner(model)
    cycle, _ = _look(examiner, model)
    model.append(nn.Linear(3, 3))
    examiner.at_rest(cycle)
    assert [layer.name for layer in examiner.chart.layers] == ["0", "1", "2", "3"]
    assert id(model[3]) in examiner.modules
    cycle, _ = _look(examiner, model)
    frame = examiner.frame(1, cycle, 0.0)
    assert frame.layers["grad_norm"][3] == pytest.approx(_norm(model[3]), rel=1e-6)
    assert np.isfinite(frame.layers["act_mean"][3])


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_lazy_modules_are_there_in_the_first_frame() -> None:
    model = nn.Sequential(nn.Linear(4, 5), nn.LazyLinear(3))
    examiner = _examiner(model, torch.optim.SGD(model[0].parameters(), lr=0.1))
    cycle, _ = _look(examiner, model)
    frame = examiner.frame(0, cycle, 0.0)
    assert [layer.name for layer in examiner.chart.layers] == ["0", "1"]
    assert frame.layers["grad_norm"].shape == (2,)
    assert np.isfinite(frame.layers["weight_norm"]).all()


# -- frames ----------------------------------------------------------------------------------


def test_a_full_frame() -> None:
    model = _model()
    examiner = _examiner(model)
    cycle, loss = _look(examiner, model)
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    examiner.after_step(cycle)
    frame = examiner.frame(7, cycle, 0.125)
    assert (frame.step, frame.level) == (7, FULL)
    assert set(frame.layers) >= {*GRADIENTS, *WEIGHTS, *ACTIVATIONS, "grad_norm"}
    assert {column.shape for column in frame.layers.values()} == {(3,)}
    assert {name for name in frame.scalars if not name.startswith("lr/")} <= set(SCALARS)
    expected = {
        "loss": float(loss), "loss_finite": 1.0, "skipped": 0.0, "scale": 1.0, "backwards": 1.0,
        "grad_raw": 1.0, "grad_finite": 1.0, "weight_finite": 1.0, "act_finite": 1.0,
        "overhead": 0.125, "lr/0": 0.1, "batch_size": 8.0, "grad_norm": _norm(model),
    }  # fmt: skip
    assert {name: frame.scalars[name] for name in expected} == pytest.approx(expected, rel=1e-6)
    assert frame.layers["update_ratio"][0] > 0


def test_a_frame_of_vitals() -> None:
    model = _model()
    examiner = _examiner(model)
    cycle, _ = _look(examiner, model, VITALS)
    examiner.after_step(cycle)
    frame = examiner.frame(0, cycle, 0.0)
    assert set(frame.layers) == {"grad_norm", "grad_nonfinite"}
    assert frame.scalars["grad_norm"] == pytest.approx(_norm(model), rel=1e-6)
    assert "weight_finite" not in frame.scalars


@pytest.mark.parametrize("level", [VITALS, FULL])
def test_the_scale_of_a_scaler_is_undone(level: str) -> None:
    model = _model()
    examiner = _examiner(model)
    cycle, _ = _look(examiner, model, level, scale=1024.0)
    frame = examiner.frame(0, cycle, 0.0)
    assert frame.scalars["grad_norm"] == pytest.approx(_norm(model) / 1024, rel=1e-6)
    assert frame.layers["grad_norm"][2] == pytest.approx(_norm(model[2]) / 1024, rel=1e-6)
    assert frame.scalars["scale"] == 1024.0
    if level == FULL:
        assert frame.layers["weight_norm"][2] == pytest.approx(
            float(torch.cat([p.detach().reshape(-1) for p in model[2].parameters()]).norm())
        )


def test_what_was_not_finite() -> None:
    model = _model()
    with torch.no_grad():
        model[2].bias[0] = float("nan")
    examiner = _examiner(model)
    cycle, _ = _look(examiner, model)
    scalars = examiner.frame(0, cycle, 0.0).scalars
    assert [scalars[f"{of}_finite"] for of in ("loss", "grad", "weight", "act")] == [0.0] * 4
    assert scalars["grad_norm"] == math.inf


def test_a_loss_that_was_not_seen() -> None:
    model = _model()
    examiner = _examiner(model)
    cycle, _ = _look(examiner, model, VITALS)
    cycle.loss = None
    scalars = examiner.frame(0, cycle, 0.0).scalars
    assert math.isnan(scalars["loss"])
    assert math.isnan(scalars["loss_finite"])


def test_a_loss_on_another_device_is_fetched_for_the_frame() -> None:
    model = _model()
    examiner = _examiner(model)
    cycle, _ = _look(examiner, model, VITALS)
    cycle.loss = torch.tensor(2.5)
    assert examiner.frame(0, cycle, 0.0).scalars["loss"] == 2.5


def test_learning_rates_of_all_groups_of_all_optimizers() -> None:
    model = _model()
    first = torch.optim.SGD(
        [{"params": [model[0].weight], "lr": 0.5}, {"params": [model[0].bias]}], lr=0.25
    )
    second = torch.optim.Adam(model[2].parameters(), lr=torch.tensor(0.125))
    examiner = _examiner(model, first, second)
    cycle, _ = _look(examiner, model, VITALS)
    scalars = examiner.frame(0, cycle, 0.0).scalars
    assert [scalars[f"lr/{place}"] for place in range(3)] == [0.5, 0.25, 0.125]


@pytest.mark.parametrize("level", [VITALS, FULL])
def test_gradients_that_no_optimizer_used_are_no_signal(level: str) -> None:
    model = _model()
    first = torch.optim.SGD(model[0].parameters(), lr=0.1)
    second = torch.optim.SGD(model[2].parameters(), lr=0.1)
    examiner = _examiner(model, first, second)
    for stepped, kept in (
        ((first,), [0]),
        ((second,), [2]),
        ((first, second), [0, 2]),
        ((), [0, 2]),
    ):
        cycle, _ = _look(examiner, model, level)
        cycle.stepped.update(id(optimizer) for optimizer in stepped)
        frame = examiner.frame(0, cycle, 0.0)
        assert np.flatnonzero(np.isfinite(frame.layers["grad_norm"])).tolist() == kept
        if level == FULL:
            assert np.isfinite(frame.layers["weight_norm"][[0, 2]]).all()


def test_activations_need_the_calls() -> None:
    model = _model()
    examiner = _examiner(model)
    model(torch.ones(2, 4)).sum().backward()
    cycle = Cycle(FULL)
    examiner.backward_seen(cycle)
    assert "act_mean" not in cycle.columns
    assert "act_finite" not in examiner.frame(0, cycle, 0.0).scalars
