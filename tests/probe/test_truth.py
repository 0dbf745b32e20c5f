"""Law 4: what is recorded is the raw loss and the raw gradient, by an independent computation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import paramedic
from paramedic.probe.monitor import Monitor


def _norm(parameters: Any) -> float:
    """The norm of all gradients, in float64, one tensor at a time."""
    total = 0.0
    for parameter in parameters:
        if parameter.grad is not None:
            grad = parameter.grad.to_dense() if parameter.grad.is_sparse else parameter.grad
            total += float(grad.abs().double().pow(2).sum())
    return math.sqrt(total)


def _model() -> nn.Sequential:
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))


def _batch(seed: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(10, 6, generator=generator), torch.randint(0, 3, (10,), generator=generator)


def _loss(model: nn.Module, seed: int) -> Tensor:
    x, y = _batch(seed)
    return F.cross_entropy(model(x), y)


def _watch(model: Any, optimizer: Any, **settings: Any) -> Monitor:
    return paramedic.watch(model, optimizer, **{"overhead": None, "strict": True, **settings})


def _recorded(monitor: Monitor, name: str = "grad_norm") -> np.ndarray:
    return np.asarray(monitor.window().scalar(name))


def test_plain_loop_layer_by_layer() -> None:
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with _watch(model, optimizer) as monitor:
        loss = _loss(model, 0)
        loss.backward()
        total = _norm(model.parameters())
        layers = [_norm(model[place].parameters()) for place in (0, 2, 4)]
        largest = max(float(p.grad.abs().max()) for p in model[2].parameters())
        weights = math.sqrt(
            sum(float(p.detach().double().pow(2).sum()) for p in model[4].parameters())
        )
        before = torch.cat([p.detach().flatten().clone() for p in model[0].parameters()])
        optimizer.step()
        after = torch.cat([p.detach().flatten() for p in model[0].parameters()])
        window = monitor.window()
    columns = dict(zip(window.names, window.layer("grad_norm")[-1], strict=True))
    assert [columns[name] for name in ("0", "2", "4")] == pytest.approx(layers, rel=1e-6)
    assert window.scalar("grad_norm")[-1] == pytest.approx(total, rel=1e-6)
    assert window.scalar("loss")[-1] == pytest.approx(loss.item(), rel=1e-7)
    assert window.layer("grad_max_abs")[-1][2] == pytest.approx(largest, rel=1e-6)
    assert window.layer("weight_norm")[-1][4] == pytest.approx(weights, rel=1e-6)
    ratio = float((after - before).norm() / before.norm())
    assert window.layer("update_ratio")[-1][0] == pytest.approx(ratio, rel=1e-4)


@pytest.mark.parametrize("clip", ["norm", "value", "scale"])
def test_before_clipping(clip: str) -> None:
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    true = []
    with _watch(model, optimizer) as monitor:
        for seed in range(5):
            optimizer.zero_grad()
            _loss(model, seed).backward()
            true.append(_norm(model.parameters()))
            if clip == "norm":
                nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
            elif clip == "value":
                nn.utils.clip_grad_value_(model.parameters(), 1e-3)
            else:
                for parameter in model.parameters():
                    parameter.grad = parameter.grad * 1e-3
            optimizer.step()
        assert _recorded(monitor) == pytest.approx(true, rel=1e-6)
        assert _recorded(monitor, "grad_raw").tolist() == [1.0] * 5


@pytest.mark.parametrize("set_to_none", [True, False])
def test_accumulation_is_detected(set_to_none: bool) -> None:
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    true, losses = [], []
    with _watch(model, optimizer) as monitor:
        for step in range(6):
            optimizer.zero_grad(set_to_none=set_to_none)
            total = 0.0
            for micro in range(4):
                loss = _loss(model, 4 * step + micro) / 4
                loss.backward()
                total += loss.item()
            losses.append(total)
            true.append(_norm(model.parameters()))
            nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
            optimizer.step()
        assert _recorded(monitor) == pytest.approx(true, rel=1e-6)
        assert _recorded(monitor, "loss") == pytest.approx(losses, rel=1e-6)
        assert _recorded(monitor, "backwards").tolist() == [4.0] * 6
        assert monitor.chart.accumulate == 4


def test_a_short_last_group_is_told_apart() -> None:
    """The last batches of an epoch make a smaller group: no stale number, and no false claim."""
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with _watch(model, optimizer) as monitor:
        for step, group in enumerate((4, 4, 2, 2)):
            optimizer.zero_grad()
            for micro in range(group):
                _loss(model, 4 * step + micro).backward()
            true = _norm(model.parameters())
            if step == 3:
                nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
            optimizer.step()
            if step == 2:
                assert _recorded(monitor)[-1] == pytest.approx(true, rel=1e-6)
        assert _recorded(monitor, "grad_raw").tolist() == [1.0, 1.0, 1.0, 1.0]


def test_a_short_group_that_was_clipped_says_so() -> None:
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with _watch(model, optimizer) as monitor:
        for group in (4, 4, 2):
            optimizer.zero_grad()
            for micro in range(group):
                _loss(model, micro).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
            optimizer.step()
        assert _recorded(monitor, "grad_raw").tolist() == [1.0, 1.0, 0.0]


def test_grad_scaler_unscales_and_counts_skipped_steps() -> None:
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=2)
    true, losses = [], []
    with _watch(model, optimizer) as monitor:
        for seed in range(6):
            optimizer.zero_grad()
            loss = _loss(model, seed)
            scaler.scale(loss).backward()
            if seed == 2:
                model[0].weight.grad[0, 0] = float("inf")
            if seed == 4:
                scaler.scale(torch.tensor(0.0))
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
            scale = scaler.get_scale()
            losses.append(loss.item())
            probe = [p.grad.clone() for p in model.parameters()]
            divisor = 1.0 if seed == 4 else scale
            true.append(math.sqrt(sum(float((g / divisor).double().pow(2).sum()) for g in probe)))
            before = model[0].weight.detach().clone()
            scaler.step(optimizer)
            assert torch.equal(before, model[0].weight) == (seed == 2)
            scaler.update()
        recorded = _recorded(monitor)
        pulse = monitor.window().pulse
    for seed in (0, 1, 3, 5):
        assert recorded[seed] == pytest.approx(true[seed], rel=1e-6)
    assert recorded[4] > 100 * true[4]  # before clipping, unscaled
    assert _recorded(monitor, "skipped").tolist() == [0, 0, 1, 0, 0, 0]
    assert pulse.skipped.tolist() == [False, False, True, False, False, False]
    assert pulse.loss == pytest.approx(losses, rel=1e-6)
    assert monitor.spent["skipped"] == 1


def test_grad_scaler_with_a_real_overflow() -> None:
    """A scale too large for the gradients: the scaler skips, lowers it, and goes on."""
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127, growth_interval=1000)
    with _watch(model, optimizer) as monitor:
        for seed in range(8):
            optimizer.zero_grad()
            scaler.scale(_loss(model, seed) * 100).backward()
            scaler.step(optimizer)
            scaler.update()
        skipped = _recorded(monitor, "skipped")
        events = [event for event in monitor.window().events if event.kind == "non-finite"]
    assert 1 <= skipped.sum() < 8
    assert skipped[-1] == 0
    assert np.isfinite(_recorded(monitor)[-1])
    assert events == []  # the scaler is at work: nothing was born


def test_fused_optimizer_with_scaler() -> None:
    model = _model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, fused=True)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    with _watch(model, optimizer) as monitor:
        for seed in range(3):
            optimizer.zero_grad()
            scaler.scale(_loss(model, seed)).backward()
            if seed == 1:
                model[0].weight.grad[0, 0] = float("inf")
            scaler.step(optimizer)
            scaler.update()
        assert _recorded(monitor, "skipped").tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "make",
    [
        lambda p: torch.optim.Adam(p, foreach=True),
        lambda p: torch.optim.AdamW(p, fused=True),
        lambda p: torch.optim.SGD(p, lr=0.1, foreach=True),
        lambda p: torch.optim.Adagrad(p),
    ],
)
def test_kinds_of_optimizer(make: Callable[[Any], torch.optim.Optimizer]) -> None:
    model = _model()
    optimizer = make(model.parameters())
    true = []
    with _watch(model, optimizer) as monitor:
        for seed in range(3):
            optimizer.zero_grad()
            _loss(model, seed).backward()
            true.append(_norm(model.parameters()))
            optimizer.step()
        assert _recorded(monitor) == pytest.approx(true, rel=1e-6)


def test_lbfgs_records_where_the_step_began() -> None:
    model = _model()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)
    true: list[tuple[float, float]] = []
    with _watch(model, optimizer) as monitor:
        for _ in range(3):
            seen: list[tuple[float, float]] = []

            def closure(seen: list[tuple[float, float]] = seen) -> Tensor:
                optimizer.zero_grad()
                loss = _loss(model, 0)
                loss.backward()
                seen.append((loss.item(), _norm(model.parameters())))
                return loss

            optimizer.step(closure)
            assert len(seen) > 1
            true.append(seen[0])
        assert monitor.last_step == 2
        assert _recorded(monitor, "loss") == pytest.approx([loss for loss, _ in true], rel=1e-6)
        assert _recorded(monitor) == pytest.approx([norm for _, norm in true], rel=1e-5)


def test_closure_with_clipping_inside() -> None:
    """What Lightning does: forward, backward and clipping all inside `optimizer.step`."""
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    true = []
    with _watch(model, optimizer) as monitor:
        for seed in range(4):

            def closure(seed: int = seed) -> Tensor:
                optimizer.zero_grad()
                loss = _loss(model, seed)
                loss.backward()
                true.append(_norm(model.parameters()))
                nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
                return loss

            optimizer.step(closure)
        assert _recorded(monitor) == pytest.approx(true, rel=1e-6)


def test_two_optimizers_on_one_model_make_one_step() -> None:
    model = _model()
    first = torch.optim.SGD(model[0].parameters(), lr=0.1)
    second = torch.optim.Adam([*model[2].parameters(), *model[4].parameters()])
    true = []
    with _watch(model, [first, second]) as monitor:
        for seed in range(4):
            model.zero_grad()
            _loss(model, seed).backward()
            true.append(_norm(model.parameters()))
            first.step()
            second.step()
        assert monitor.last_step == 3
        assert _recorded(monitor) == pytest.approx(true, rel=1e-6)
        assert len({k for k in monitor.window().scalars if k.startswith("lr/")}) == 2


def test_alternating_optimizers_of_a_gan() -> None:
    """Each half has its own step; the other half's gradients are not counted as its signal."""
    torch.manual_seed(0)
    maker, critic = nn.Linear(4, 6), nn.Linear(6, 1)
    make, judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(critic.parameters())
    with _watch({"maker": maker, "critic": critic}, [make, judge]) as monitor:
        for _ in range(3):
            fake = maker(torch.randn(8, 4))
            judge.zero_grad()
            (critic(fake.detach()).mean() - critic(torch.randn(8, 6)).mean()).backward()
            judged = _norm(critic.parameters())
            judge.step()
            make.zero_grad()
            (-critic(fake).mean()).backward()
            made = _norm(maker.parameters())
            make.step()
        monitor.epoch(score=1.0)
        window = monitor.window()
    assert monitor.last_step == 5
    grads = {name: window.layer("grad_norm")[:, place] for place, name in enumerate(window.names)}
    assert grads["critic"][-2] == pytest.approx(judged, rel=1e-6)
    assert grads["maker"][-1] == pytest.approx(made, rel=1e-6)
    assert np.isnan(grads["critic"][-1])


def test_two_monitors_do_not_mix() -> None:
    one, other = _model(), _model()
    first = torch.optim.SGD(one.parameters(), lr=0.1)
    second = torch.optim.SGD(other.parameters(), lr=0.1)
    with _watch(one, first) as left, _watch(other, second) as right:
        for seed in range(4):
            first.zero_grad()
            loss = _loss(one, seed)
            loss.backward()
            expected = loss.item()
            first.step()
            if seed % 2:
                second.zero_grad()
                (_loss(other, seed) * 5).backward()
                second.step()
        assert (left.last_step, right.last_step) == (3, 1)
        assert left.window().pulse.loss[-1] == pytest.approx(expected)


def test_sparse_gradients() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.EmbeddingBag(50, 5, mode="sum", sparse=True), nn.Linear(5, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with _watch(model, optimizer) as monitor:
        tokens = torch.tensor([[1, 1, 2], [3, 1, 2]])
        F.cross_entropy(model(tokens), torch.tensor([0, 1])).backward()
        true = _norm(model.parameters())
        dense = model[0].weight.grad.to_dense()
        optimizer.step()
        window = monitor.window()
    assert window.scalar("grad_norm")[-1] == pytest.approx(true, rel=1e-6)
    assert window.layer("grad_zero")[-1][0] == pytest.approx(float((dense == 0).float().mean()))
    assert window.layer("grad_mean")[-1][0] == pytest.approx(
        float(dense.mean()), rel=1e-4, abs=1e-9
    )
    assert window.layer("grad_median")[-1][0] == 0.0


class Spectral(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.filter = nn.Parameter(torch.randn(6, dtype=torch.complex64))

    def forward(self, x: Tensor) -> Tensor:
        return torch.fft.ifft(torch.fft.fft(x) * self.filter).real


def test_complex_parameters() -> None:
    torch.manual_seed(0)
    model = Spectral()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with _watch(model, optimizer) as monitor:
        model(torch.randn(4, 6)).pow(2).mean().backward()
        true = _norm(model.parameters())
        optimizer.step()
        assert _recorded(monitor)[-1] == pytest.approx(true, rel=1e-6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_precisions(dtype: torch.dtype) -> None:
    model = _model().to(dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with _watch(model, optimizer) as monitor:
        x, y = _batch(0)
        F.cross_entropy(model(x.to(dtype)).float(), y).backward()
        true = _norm(model.parameters())
        optimizer.step()
        assert _recorded(monitor)[-1] == pytest.approx(true, rel=1e-5)


def test_large_gradients_are_not_called_infinite() -> None:
    """The square of 1e25 does not fit a float32; the gradient does."""
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-30)
    with _watch(model, optimizer) as monitor:
        (model(torch.randn(4, 4)).sum() * 1e25).backward()
        true = _norm(model.parameters())
        optimizer.step()
        assert _recorded(monitor)[-1] == pytest.approx(true, rel=1e-5)
        assert _recorded(monitor, "grad_finite")[-1] == 1.0


def test_reentrant_checkpointing_counts_one_backward() -> None:
    from torch.utils.checkpoint import checkpoint

    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for reentrant in (True, False):
        with _watch(model, optimizer) as monitor:
            for seed in range(3):
                optimizer.zero_grad()
                x, y = _batch(seed)
                x.requires_grad_()
                hidden = checkpoint(model[:3], x, use_reentrant=reentrant)
                F.cross_entropy(model[3:](hidden), y).backward()
                true = _norm(model.parameters())
                optimizer.step()
            assert _recorded(monitor)[-1] == pytest.approx(true, rel=1e-6)
            assert _recorded(monitor, "backwards").tolist() == [1.0] * 3


def test_learning_rates_of_each_group() -> None:
    model = _model()
    groups = [{"params": model[0].parameters(), "lr": 0.5}, {"params": model[2].parameters()}]
    optimizer = torch.optim.SGD(groups, lr=0.25)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    with _watch(model, optimizer) as monitor:
        for seed in range(3):
            optimizer.zero_grad()
            _loss(model, seed).backward()
            optimizer.step()
            schedule.step()
        assert _recorded(monitor, "lr/0").tolist() == [0.5, 0.25, 0.125]
        assert _recorded(monitor, "lr/1").tolist() == [0.25, 0.125, 0.0625]


def test_a_model_with_its_channels_last_is_seen_as_the_same_model() -> None:
    """The numbers do not depend on how images, weights and gradients lie in memory."""
    seen = {}
    for layout in (torch.contiguous_format, torch.channels_last):
        torch.manual_seed(0)
        # Small enough for quartiles of all values: a sample is another one in another order.
        layers = [nn.Conv2d(3, 5, 3), nn.ReLU(), nn.Conv2d(5, 5, 3), nn.Tanh(), nn.Flatten()]
        model = nn.Sequential(*layers, nn.Linear(5 * 16, 3)).to(memory_format=layout)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(12, 3, 8, 8).contiguous(memory_format=layout)
        with _watch(model, optimizer) as monitor:
            for _ in range(3):
                optimizer.zero_grad()
                F.cross_entropy(model(x), torch.arange(12) % 3).backward()
                optimizer.step()
            seen[layout] = monitor.window()
    usual, last = seen[torch.contiguous_format], seen[torch.channels_last]
    assert set(usual.layers) == set(last.layers)
    assert set(usual.scalars) == set(last.scalars)
    for name in usual.layers:
        assert usual.layer(name) == pytest.approx(last.layer(name), rel=1e-3, abs=1e-6, nan_ok=True)
    for name in set(usual.scalars) - {"overhead"}:
        assert usual.scalar(name) == pytest.approx(last.scalar(name), rel=1e-4, nan_ok=True)
