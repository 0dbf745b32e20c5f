"""`paramedic demo`: a small sick network, watched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paramedic.cli.failing import fails_clearly

if TYPE_CHECKING:
    from torch import Tensor

_STEPS = 300


@fails_clearly
def demo(
    out: Annotated[Path, typer.Option(help="Where to record the run.")] = Path("demo-out"),
) -> None:
    """Train a small sick network; print what was measured and what is wrong with it."""
    from rich.console import Console

    from paramedic.diagnose.rules import rules
    from paramedic.optional import require
    from paramedic.prescribe.replay import replay
    from paramedic.report.terminal import measured
    from paramedic.report.verdict import told
    from paramedic.trace import Trace

    require("torch", extra="torch", needed_by="paramedic demo")
    console = Console()
    console.print(
        "Training ten layers of sigmoids on two rings of points, which they should learn easily.\n"
        "Near the end, one batch holds a NaN."
    )
    path = _train(out)
    with Trace.open(path) as trace:
        console.print(measured(trace))
    console.print(told(replay(path), len(rules())))
    console.print(f"Recorded in {path}", soft_wrap=True)


def _train(out: Path) -> Path:
    """The patient: sigmoids squash the gradient layer by layer until nothing is left."""
    import torch
    from torch import nn

    import paramedic

    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for width in [2] + 9 * [16]:
        layers += [nn.Linear(width, 16), nn.Sigmoid()]
    model = nn.Sequential(*layers, nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    points, rings = _rings()
    with paramedic.watch(model, optimizer, trace=out / "run.db", overhead=None) as monitor:
        for step in range(_STEPS):
            batch = torch.randint(0, len(points), (64,))
            x = points[batch]
            if step == _STEPS - 1:
                x[17, 1] = float("nan")
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), rings[batch])
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    assert monitor.trace is not None
    return monitor.trace


def _rings() -> tuple[Tensor, Tensor]:
    import torch

    angle = 2 * torch.pi * torch.rand(1000)
    ring = torch.arange(1000) % 2
    radius = 1.0 + ring + 0.1 * torch.randn(1000)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1), ring
