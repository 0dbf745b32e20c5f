"""A compiled model stays compiled: no graph break, no recompilation, no warning because of us."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import paramedic

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def _forget_graphs() -> None:
    import torch._dynamo

    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


@pytest.fixture(autouse=True)
def _fresh_compiler() -> Iterator[None]:
    _forget_graphs()
    yield
    _forget_graphs()


def _compiled(how: str) -> tuple[Any, torch.optim.Optimizer]:
    model: Any = _model()
    if how == "wrapped":
        model = torch.compile(model, backend="aot_eager")
    else:
        model.compile(backend="aot_eager")
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def _model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))


def _train(model: Any, optimizer: Any, steps: int = 12) -> list[float]:
    generator = torch.Generator().manual_seed(0)
    norms = []
    for _ in range(steps):
        x = torch.randn(5, 6, generator=generator)
        y = torch.randint(0, 3, (5,), generator=generator)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        norms.append(float(torch.cat([p.grad.flatten() for p in model.parameters()]).norm()))
        optimizer.step()
    return norms


def _graphs() -> dict[str, int]:
    from torch._dynamo.utils import counters

    return {
        "graphs": counters["stats"]["unique_graphs"],
        "breaks": sum(counters["graph_break"].values()),
    }


@pytest.mark.parametrize("how", ["wrapped", "in-place"])
@pytest.mark.parametrize("overhead", [None, 0.01])
def test_compiled_before_watching(how: str, overhead: float | None) -> None:
    model, optimizer = _compiled(how)
    _train(model, optimizer)
    without = _graphs()
    _forget_graphs()
    model, optimizer = _compiled(how)
    with paramedic.watch(model, optimizer, overhead=overhead, strict=True) as monitor:
        norms = _train(model, optimizer)
        window = monitor.window()
        assert window.scalar("grad_norm") == pytest.approx(
            [norms[step] for step in window.steps], rel=1e-5
        )
    assert _graphs() == without
    assert "compiled" in monitor.not_checked["activations"]
    assert {"0", "2"} <= set(window.names)


@pytest.mark.filterwarnings("ignore:Using `torch.compile")
def test_compiled_after_watching() -> None:
    inner = _model()
    optimizer = torch.optim.SGD(inner.parameters(), lr=0.1)
    with paramedic.watch(inner, optimizer, overhead=None, strict=True) as monitor:
        model = torch.compile(inner, backend="aot_eager")
        norms = _train(model, optimizer)
        assert monitor.window().scalar("grad_norm") == pytest.approx(norms, rel=1e-5)
        assert "compiled" in monitor.not_checked["activations"]
    assert _graphs() == {"graphs": 1, "breaks": 0}


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")
def test_a_compiled_step_function_breaks_no_more_than_without_us() -> None:
    def breaks(watched: bool) -> int:
        _forget_graphs()
        model = _model()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        monitor = paramedic.watch(model, optimizer, strict=True) if watched else None

        @torch.compile(backend="aot_eager")
        def loss_of(x: Tensor) -> Tensor:
            loss = model(x).pow(2).mean()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.zero_grad()
            loss_of(torch.ones(5, 6))
            optimizer.step()
        if monitor is not None:
            assert monitor.last_step == 2
            monitor.close()
        return _graphs()["breaks"]

    assert breaks(watched=True) <= breaks(watched=False)


@pytest.mark.parametrize("overhead", [None, 0.01])
def test_compiled_but_not_called_before_watching(overhead: float | None) -> None:
    """The monitor is given the module itself, whose wrapper is called later."""
    model = _model()
    whole = torch.compile(model, backend="eager", fullgraph=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, overhead=overhead, strict=True) as monitor:
        _train(whole, optimizer)  # warns, and compiles again, if a hook is there
        assert monitor.last_step == 11
    assert _graphs() == {"graphs": 1, "breaks": 0}


def test_a_module_that_is_no_longer_there_blinds_nobody() -> None:
    torch.compile(_model(), backend="eager")
    gc.collect()
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with paramedic.watch(model, optimizer, overhead=None, strict=True) as monitor:
        _train(model, optimizer, steps=2)
        assert (monitor.window().layer("act_mean")[-1] != 0).any()
