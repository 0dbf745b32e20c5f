"""The handles by which a fault gets at a patient, and their order among those of others."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook

from paramedic.inject.site import Site

from .patients import momentum, net, traces


def _site(model: nn.Module) -> tuple[Site, list[str]]:
    log: list[str] = []
    return Site(model, [momentum(model)], torch.Generator(), log.append), log


def _doubled(x: Tensor) -> Tensor:
    return 2 * x


def test_only_the_first_word_of_an_occasion_is_logged() -> None:
    site, log = _site(net())
    assert not site.acted
    site.tell("one")
    site.tell("two")
    assert site.acted
    assert log == ["one"]


def test_everything_is_undone_the_last_thing_first() -> None:
    site, order = _site(net())
    site.at_end(lambda: order.append("first"))
    site.at_end(lambda: order.append("last"))
    site.close()
    assert order == ["last", "first"]


def test_nothing_is_left() -> None:
    model = net()
    site, _ = _site(model)
    optimizer = site.optimizers[0]
    before = traces(model, optimizer)
    site.on_input(_doubled)
    site.on_input(_doubled, model[2], always=True)
    site.on_output(model[0], _doubled)
    site.on_gradient(model[0].weight, _doubled)
    site.in_evaluation("so")
    site.replace(model, "zero_grad", lambda: None)
    site.before_step(lambda optimizer, after: None)
    site.on_batch(lambda x, y: (y, x))
    assert traces(model, optimizer) != before
    site.close()
    assert traces(model, optimizer) == before
    assert site.batch(1, 2) == (1, 2)


def test_an_output_is_changed_before_anybody_sees_it() -> None:
    model = nn.Sequential(nn.Identity(), nn.Identity())
    seen: list[float] = []

    def look(module: nn.Module, args: Any, output: Tensor) -> None:
        if module is model[0]:
            seen.append(output.item())

    early = register_module_forward_hook(look)
    site = Site(model, [], torch.Generator(), lambda what: None)
    site.on_output(model[0], _doubled)
    late = register_module_forward_hook(look)
    assert model(torch.ones(1)).item() == 2
    with torch.no_grad():
        assert model(torch.ones(1)).item() == 1
    site.close()
    early.remove()
    late.remove()
    assert seen == [2, 2, 1, 1]


def test_a_method_that_was_replaced_before_comes_back() -> None:
    model = net()
    site, _ = _site(model)
    mine, theirs = (lambda: None), (lambda: None)
    model.zero_grad = theirs  # type: ignore[method-assign]
    site.replace(model, "zero_grad", mine)
    assert model.zero_grad is mine
    site.close()
    assert model.zero_grad is theirs


def test_before_and_after_a_step() -> None:
    site, log = _site(net())

    def act(optimizer: Any, after: ExitStack) -> None:
        log.append("before")
        after.callback(log.append, "after")

    site.before_step(act)
    with ExitStack() as after:
        site.step_begins(site.optimizers[0], after)
        assert log == ["before"]
    assert log == ["before", "after"]


def test_batches_pass_through_all_changes() -> None:
    site, _ = _site(net())
    site.on_batch(lambda x, y: (x + 1, y))
    site.on_batch(lambda x, y: (x * 2, y - 1))
    assert site.batch(1, 1) == (4, 0)
