"""A plan: the same model and batches each time, never changed, printable, checked when made."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import paramedic
from tests.treat.plans import network, plan, points


def _equal(one: nn.Module, other: nn.Module) -> bool:
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(torch.equal(left, right) for left, right in pairs)


def test_each_model_begins_with_the_same_weights() -> None:
    made = plan()
    first, second = made.build_model(), made.build_model()
    assert first is not second
    assert _equal(first, second)
    assert _equal(first, network())


def test_a_function_makes_the_same_model_each_time_and_leaves_the_random_numbers_alone() -> None:
    made = plan(model=lambda: nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2)))
    torch.manual_seed(5)
    first = made.build_model()
    drawn = torch.rand(1)
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.rand(1))
    assert _equal(first, made.build_model())
    assert not _equal(first, made.replace(seed=1).build_model())


def test_the_optimizer_has_all_trained_parameters() -> None:
    model = network()
    model[0].weight.requires_grad_(False)  # type: ignore[index, union-attr, operator]
    made = plan(model=model)
    fresh = made.build_model()
    group = made.build_optimizer(fresh).param_groups[0]
    assert len(group["params"]) == 5
    assert group["lr"] == 0.01


def test_a_class_alone_is_an_optimizer_with_its_defaults() -> None:
    assert plan(optimizer=torch.optim.Adam).optimizer == (torch.optim.Adam, {})


def test_replace_leaves_the_first_plan_alone() -> None:
    first = plan()
    second = first.replace(epochs=3)
    assert (first.epochs, second.epochs) == (6, 3)
    assert first.steps == 6 * 16
    assert second.steps == 3 * 16


def test_the_batch_size_is_that_of_the_loader_until_it_is_changed() -> None:
    loader = DataLoader(TensorDataset(*points(64)), batch_size=8, shuffle=True)
    made = plan(train=loader, batch_size=0)
    assert made.batch_size == 8
    assert made.steps_per_epoch == 8
    changed = made.replace(batch_size=32)
    assert changed.steps_per_epoch == 2
    assert len(next(iter(changed.batches[0].epoch(0)))[1]) == 32


def test_sample_and_output_are_of_the_training_data() -> None:
    made = plan()
    x, y = made.sample(10)
    assert torch.equal(x, points()[0][:10])
    output, targets = made.output(10)
    assert output.shape == (10, 2)
    assert torch.equal(targets, y)


def test_guessing_gives_the_most_frequent_target() -> None:
    x, y = torch.zeros(8, 2), torch.tensor([0, 1, 1, 1, 0, 1, 1, 2])
    assert plan(validation=(x, y)).guessing == 5 / 8
    assert plan(validation=(x, y), metric="loss").guessing == 0.0


def test_a_plan_is_python() -> None:
    text = plan(clip_norm=1.5).code()
    compile(text, "plan", "exec")
    assert "nn.Linear(in_features=2, out_features=16, bias=True)," in text
    assert 'optimizer=(torch.optim.Adam, {"lr": 0.01})' in text
    assert "clip_norm=1.5" in text


def test_the_difference_of_two_plans_is_what_was_changed() -> None:
    first = plan()
    second = first.replace(model=network(nn.Tanh), optimizer=(torch.optim.SGD, {"lr": 0.1}))
    changed = [line for line in first.diff(second).splitlines() if line[:1] in "+-"][2:]
    assert changed == [
        "-    nn.ReLU(),",
        "+    nn.Tanh(),",
        "-    nn.ReLU(),",
        "+    nn.Tanh(),",
        '-    optimizer=(torch.optim.Adam, {"lr": 0.01}),',
        '+    optimizer=(torch.optim.SGD, {"lr": 0.1}),',
    ]
    assert first.diff(plan()) == ""


def test_the_public_name() -> None:
    from paramedic.treat.plan import Plan

    assert paramedic.Plan is Plan
