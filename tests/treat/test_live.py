"""Runs that are treated while they go on."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_post_hook

import paramedic
from paramedic import Trace
from paramedic.diagnose.case import Case as Opened
from paramedic.probe.monitor import Monitor
from paramedic.types import Finding, Remedy, Safety, Severity

from ..probe.recipes import RECIPES
from ..probe.test_neutrality import _nothing, _same

STEPS = 260
EVERY = {"snapshot_every": 10}
Fault = Callable[[int, Any, Tensor], Tensor]


def _batch(step: int, size: int = 32) -> tuple[Tensor, Tensor]:
    """Six clouds that overlap: there is a best loss, and it is not zero."""
    generator = torch.Generator().manual_seed(step)
    centres = 0.8 * torch.randn(6, 8, generator=torch.Generator().manual_seed(99))
    y = torch.randint(0, 6, (size,), generator=generator)
    return centres[y] + torch.randn(size, 8, generator=generator), y


class Case:
    """A small net, trained with a fault and a treatment."""

    def __init__(self, treat: str = "auto", kind: str = "sgd", **options: Any) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(
            nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.Dropout(0.1), nn.ReLU(),
            nn.Linear(32, 6),
        )  # fmt: skip
        parameters = self.model.parameters()
        self.optimizer: torch.optim.Optimizer = (
            torch.optim.SGD(parameters, lr=0.05, momentum=0.9)
            if kind == "sgd"
            else torch.optim.AdamW(parameters, lr=5e-3)
        )
        self.base = self.optimizer.param_groups[0]["lr"]
        settings = {"limits": EVERY} if treat != "off" else {}
        self.monitor = paramedic.watch(
            self.model, self.optimizer, treat=treat, **{"strict": True, **settings, **options}
        )

    def train(self, fault: Any = None, steps: int = STEPS) -> Monitor:
        """`fault(step, case, x)` may change the batch, the rate or (afterwards) the gradients."""
        for step in range(steps):
            part = 0.5 * (1 + math.cos(math.pi * step / STEPS))
            for group in self.optimizer.param_groups:
                group["lr"] = self.base * (0.02 + part)
            x, y = _batch(step)
            if fault is not None:
                x = fault(step, self, x)
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(x), y).backward()
            if fault in SPIKES and step == 120:
                for one in self.model.parameters():
                    one.grad *= SPIKES[fault]
            self.optimizer.step()
        self.monitor.close()
        return self.monitor

    @torch.no_grad()
    def score(self) -> float:
        self.model.eval()
        x, y = _batch(10_000, size=4000)
        return F.cross_entropy(self.model(x), y).item()

    def actions(self) -> list[tuple[str, int]]:
        return [(event.data["action"], event.step) for event in self.monitor.interventions]


def _nan(step: int, case: Case, x: Tensor) -> Tensor:
    if step in (120, 150):
        x[3, 2] = math.nan
    return x


def _faster(step: int, case: Case, x: Tensor) -> Tensor:
    if step >= 120:
        for group in case.optimizer.param_groups:
            group["lr"] *= 30
    return x


def _corrupted(step: int, case: Case, x: Tensor) -> Tensor:
    return 30 * torch.randn(x.shape) if step == 120 else x


def _spike_20(step: int, case: Case, x: Tensor) -> Tensor:
    return x


def _spike_1000(step: int, case: Case, x: Tensor) -> Tensor:
    return x


SPIKES: dict[Any, float] = {_spike_20: 20.0, _spike_1000: 1000.0}


def _scored(treat: str, kind: str, fault: Any) -> tuple[float, Case]:
    case = Case(treat, kind, rules=None)
    case.train(fault)
    return case.score(), case


@pytest.mark.parametrize("kind", ["sgd", "adam"])
def test_what_was_injected_is_cured(kind: str) -> None:
    """Within 2 % of the run without the fault; most of the untreated ones are far off."""
    clean, _ = _scored("off", kind, None)
    harmed = 0
    faults = (_nan, _faster, _corrupted, _spike_20, _spike_1000)
    for fault in faults if kind == "sgd" else faults[:2]:
        treated, case = _scored("auto", kind, fault)
        untreated, _ = _scored("off", kind, fault)
        assert treated <= 1.02 * clean, (fault, treated / clean, case.actions())
        harmed += not untreated <= 1.02 * clean
    assert harmed >= 2


def test_a_poisoned_batch_leaves_nothing_behind() -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 6))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with paramedic.watch(model, optimizer, treat="auto", strict=True) as monitor:
        for step in range(30):
            x, y = _batch(step)
            if step in (0, 20):
                x[0, 0] = math.nan
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    assert [event.step for event in monitor.interventions] == [0, 20]
    assert all(torch.isfinite(one).all() for one in model.state_dict().values())


def test_a_lost_run_is_rolled_back_to_the_healthy_rate() -> None:
    case = Case()
    monitor = case.train(_faster)
    back = [event for event in monitor.interventions if event.data["action"] == "scale-rate"]
    assert [event.data["args"]["factor"] for event in back] == pytest.approx([1 / 30], rel=0.02)
    assert back[0].step < 140
    assert not monitor.should_stop


def test_it_goes_back_to_the_very_step_at_which_the_rate_leapt() -> None:
    case = Case(limits={"snapshot_every": 1000})
    weights: dict[str, Tensor] = {}

    def watched(step: int, case: Case, x: Tensor) -> Tensor:
        back = [at for action, at in case.actions() if action == "roll-back"]
        if step == 123 or step - 1 in back:
            now = nn.utils.parameters_to_vector(case.model.parameters()).detach().clone()
            weights["before" if step == 123 else "after"] = now
        return _faster(step, case, x) if step >= 123 else x

    case.train(watched, steps=140)
    assert torch.equal(weights["after"], weights["before"])


def test_somebody_elses_hooks_around_the_step_are_seen_and_not_disturbed() -> None:
    """A rate that is raised for the time of the step alone, by whoever came after us."""
    case = Case(rules=None)
    own = 0.0
    step = 0

    def raise_rate(optimizer: Any, args: Any, kwargs: Any) -> None:
        nonlocal own, step
        group = optimizer.param_groups[0]
        own = group["lr"]
        group["lr"] *= 30 if step >= 120 else 1
        step += 1

    def give_back(optimizer: Any, args: Any, kwargs: Any) -> None:
        optimizer.param_groups[0]["lr"] = own

    handles = [
        case.optimizer.register_step_pre_hook(raise_rate),
        register_optimizer_step_post_hook(give_back),
    ]
    case.train()
    for handle in handles:
        handle.remove()
    clean, _ = _scored("off", "sgd", None)
    assert case.score() <= 1.02 * clean
    assert [action for action, _ in case.actions()][-2:] == ["roll-back", "scale-rate"]
    assert case.optimizer.param_groups[0]["lr"] == own


# -- what is not sick is left alone --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "mode"),
    [*((name, "auto") for name in RECIPES), ("mlp_adam", "ask"), ("mlp_adam", "off")],
)
def test_a_healthy_run_is_bit_for_bit_the_same(name: str, mode: str) -> None:
    def treated(model: Any, optimizer: Any) -> Any:
        limits = {"snapshot_every": 3, "least": 5}
        return paramedic.watch(model, optimizer, treat=mode, strict=True, limits=limits)

    plain = RECIPES[name](60, _nothing)
    seen = RECIPES[name](60, treated)
    assert plain.batches == seen.batches
    assert plain.losses == seen.losses
    assert torch.equal(plain.random, seen.random)
    assert all(map(torch.equal, plain.weights.values(), seen.weights.values()))
    _same(plain.optimizer, seen.optimizer)


@pytest.mark.parametrize("size", [1, 4])
def test_small_batches_are_noise_and_no_reason_to_act(size: int) -> None:
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    with paramedic.watch(model, optimizer, treat="auto", strict=True, limits=EVERY) as monitor:
        for step in range(500):
            x, y = _batch(step, size)
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    assert monitor.interventions == ()


def test_with_off_nothing_is_there() -> None:
    case = Case("off")
    monitor = case.train(_nan, steps=140)
    assert monitor.interventions == ()
    assert not monitor.should_stop
    assert monitor.undo() is None
    assert monitor.spent["treatment"] == 0.0


# -- asking --------------------------------------------------------------------------------------


def test_a_no_is_respected_and_not_asked_again_in_the_window() -> None:
    asked = []

    def no(remedy: Any) -> bool:
        asked.append((remedy.action, remedy.title))
        return False

    case = Case("ask", on_remedy=no)
    monitor = case.train(_spike_1000, steps=121)
    assert len(asked) == 1
    assert asked[0][0] == "clip-gradients"
    assert "times the usual" in asked[0][1]
    assert [event.data["answer"] for event in monitor.interventions] == ["declined"]
    other = Case("off")
    other.train(_spike_1000, steps=121)
    assert torch.equal(case.model[0].weight, other.model[0].weight)


def test_a_yes_is_carried_out() -> None:
    case = Case("ask", on_remedy=lambda remedy: True)
    monitor = case.train(_nan, steps=140)
    assert [event.data["answer"] for event in monitor.interventions] == ["applied"]
    assert torch.isfinite(case.model[0].weight).all()


def test_with_nobody_there_the_question_is_logged() -> None:
    case = Case("ask")
    monitor = case.train(_spike_1000, steps=121)
    (event,) = monitor.interventions
    assert "nobody was there to ask" in event.message


# -- undoing -------------------------------------------------------------------------------------


def _found(slug: str, severity: Severity = Severity.WARNING) -> Opened:
    return Opened(Finding("X001", slug, severity, 0.9, "It is sick", 5), 5, 5)


def test_what_lasts_can_be_undone_newest_first() -> None:
    case = Case(rules=None)
    case.train(steps=50)
    case = Case(rules=None)
    attendant = case.monitor._attendant
    model = case.model
    for step in range(60):
        if step == 30:
            attendant.case_opened(_found("overfitting"), ())
            attendant.case_opened(_found("overfitting"), ())
            attendant.case_opened(_found("oscillating-loss", Severity.INFO), ())
        x, y = _batch(step)
        case.optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        case.optimizer.step()
    assert case.actions() == [("raise-dropout", 30)]
    assert model[3].p == pytest.approx(0.2)
    event = case.monitor.undo()
    assert event is not None
    assert event.data["cause"] == "overfitting"
    assert model[3].p == 0.1
    assert case.monitor.undo() is None
    case.monitor.close()


def test_nothing_is_left_in_force_when_the_monitor_leaves() -> None:
    case = Case(rules=None)
    case.monitor._attendant.case_opened(_found("overfitting"), ())
    case.train(steps=20)
    assert case.actions() == [("raise-dropout", 0)]
    assert case.model[3].p == 0.1


def test_what_is_found_right_after_an_intervention_has_the_same_cause() -> None:
    case = Case(rules=None)

    def fault(step: int, one: Case, x: Tensor) -> Tensor:
        if step == 130:
            one.monitor._attendant.case_opened(_found("learning-rate-too-high"), ())
        return _nan(step, one, x)

    case.train(fault, steps=140)
    assert case.actions() == [("skip-step", 120)]


def test_the_lowered_rate_is_recorded_and_the_users_own_is_untouched() -> None:
    case = Case(rules=None, overhead=None)
    halved = Remedy("a", "A", 0.9, Safety.SAFE, "scale-rate", {"factor": 0.5})
    case.monitor._attendant.case_opened(_found("overfitting"), [halved])
    case.train(steps=5)
    rates = case.monitor.window().scalar("lr/0")
    assert rates[0] == pytest.approx(0.5 * 0.05 * 1.02)
    assert case.optimizer.param_groups[0]["lr"] > 0.045


def test_a_finding_is_treated_once_the_run_gets_no_better_and_if_it_still_holds() -> None:
    gone, stays = _found("oscillating-loss"), _found("learning-rate-too-high")

    def fault(step: int, one: Case, x: Tensor) -> Tensor:
        if step == 10:
            one.monitor._attendant.case_opened(gone, ())
            one.monitor._attendant.case_opened(stays, ())
        if step == 20:
            gone.closed = 20
        if step >= 40:
            one.optimizer.param_groups[0]["lr"] = 0.0
        return x

    case = Case(rules=None)
    case.train(fault, steps=200)
    (event,) = case.monitor.interventions
    assert event.data["cause"] == "learning-rate-too-high"
    assert 60 < event.step < 180


def test_what_was_at_one_step_only_is_not_treated_for_longer() -> None:
    once = _found("exploding-gradient")
    once.finding = replace(once.finding, evidence={"moment": 100})
    case = Case(rules=None)
    clip = Remedy("a", "A", 0.9, Safety.SAFE, "clip-gradients", {"max_norm": 1.0})

    def fault(step: int, one: Case, x: Tensor) -> Tensor:
        if step == 100:
            one.monitor._attendant.case_opened(once, [clip])
        if step > 100:
            one.optimizer.param_groups[0]["lr"] = 0.0  # it gets no better
        return x

    case.train(fault, steps=200)
    assert case.actions() == []


def test_a_layer_that_leaps_is_clipped_before_the_step_is_taken() -> None:
    def trained(treat: str, factor: float) -> tuple[Case, Tensor]:
        case = Case(treat, overhead=None)
        kind = "exploding-gradient"
        with paramedic.inject(
            case.model, case.optimizer, kind, at=120, duration=1, layers=["2"], factor=factor
        ):
            case.train(steps=122)
        return case, torch.cat([one.detach().flatten() for one in case.model.parameters()])

    _, sound = trained("off", 1.0)
    _, harmed = trained("off", 200.0)
    treated, saved = trained("auto", 200.0)
    assert treated.actions() == [("clip-gradients", 120)]
    (event,) = treated.monitor.interventions
    assert list(event.data["args"]["layers"]) == ["2"]
    assert float((saved - sound).norm()) < 0.1 * float((harmed - sound).norm())


def test_a_rate_that_comes_back_by_itself_is_no_longer_scaled() -> None:
    case = Case()

    def for_a_while(step: int, one: Case, x: Tensor) -> Tensor:
        return _faster(step, one, x) if step < 170 else x

    monitor = case.train(for_a_while, steps=190)
    undone = [event for event in monitor.interventions if event.data["action"] == "undo"]
    assert [event.step for event in undone] == [170]
    assert case.monitor._attendant._hands.lasting.factor == 1.0


# -- records and failures ------------------------------------------------------------------------


def test_interventions_are_in_the_trace_the_log_and_the_logger(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "paramedic"):
        case = Case(trace=tmp_path / "run.db", log=tmp_path / "run.jsonl")
        case.train(_nan, steps=140)
    with Trace.open(tmp_path / "run.db") as trace:
        (event,) = [one for one in trace.events if one.kind == "intervention"]
        assert event.step == 120
        assert event.data["action"] == "skip-step"
        assert trace.pulse().skipped.nonzero()[0].tolist() == [120]
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines if line["kind"] != "finding"] == [
        "start", "intervention", "end",
    ]  # fmt: skip
    assert lines[-1]["interventions"] == {"skip-step": 1}
    assert "Step 120: Do not apply this step (applied)" in caplog.text


def test_the_end_is_only_asked_for() -> None:
    def lost(step: int, case: Case, x: Tensor) -> Tensor:
        return x if step < 60 else x / 0.0 if step % 2 else torch.full_like(x, 1e30)

    case = Case(limits={**EVERY, "roll_backs": 1, "data_in_a_row": 5})
    monitor = case.train(lost, steps=120)
    assert monitor.should_stop
    assert ("stop" in dict(case.actions())) is True
    assert torch.isfinite(case.model[0].weight).all()


def test_an_error_of_ours_ends_treatment_and_not_training(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr("paramedic.treat.policy.Policy.judge", broken)
    with caplog.at_level(logging.WARNING, "paramedic"):
        case = Case(strict=False)
        monitor = case.train(steps=30)
    assert "a bug of ours" in monitor.not_checked["treatment"]
    assert monitor.last_step == 29
    assert sum("treatment" in record.getMessage() for record in caplog.records) == 1
    case = Case()
    with pytest.raises(ZeroDivisionError):
        case.train(steps=3)
    case.monitor.close()


def test_a_scaler_and_a_batch_it_throws_away() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    with paramedic.watch(model, optimizer, treat="auto", strict=True, limits=EVERY) as monitor:
        for step in range(60):
            x, y = _batch(step)
            if step == 40:
                x[0, 0] = math.nan
            optimizer.zero_grad()
            scaler.scale(F.cross_entropy(model(x), y)).backward()
            if step == 50:
                for one in model.parameters():
                    one.grad *= 1000
            scaler.step(optimizer)
            scaler.update()
    assert torch.isfinite(model[1].running_mean).all()
    actions = [(event.data["action"], event.step) for event in monitor.interventions]
    assert actions == [("clip-gradients", 50)]
    norm = monitor.interventions[0].data["args"]["max_norm"]
    assert 0.01 < norm < 10  # unscaled


def test_several_optimizers_are_judged_by_their_gradients() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6))
    optimizers = [torch.optim.SGD(model[place].parameters(), lr=0.05) for place in (0, 2)]
    with paramedic.watch(model, optimizers, treat="auto", strict=True, limits=EVERY) as monitor:
        for step in range(60):
            x, y = _batch(step)
            model.zero_grad()
            F.cross_entropy(model(x), y).backward()
            if step == 50:
                model[2].weight.grad.fill_(math.nan)
            for optimizer in optimizers:
                optimizer.step()
    actions = [(event.data["action"], event.step) for event in monitor.interventions]
    assert actions == [("skip-step", 50)]
    assert torch.isfinite(model[2].weight).all()


def test_a_closure_is_not_treated() -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = model(torch.eye(3)).pow(2).sum()
        loss.backward()
        return loss

    with paramedic.watch(model, optimizer, treat="auto", strict=True) as monitor:
        for _ in range(5):
            optimizer.step(closure)
        assert monitor.last_step == 4
    assert monitor.interventions == ()
