from __future__ import annotations

import math

import numpy as np
import pytest

from paramedic.run.metrics import Logs, chosen, is_metric, of_validation
from paramedic.types import Chart, Task

KNOWN = (
    "reward rewards/mean eval_reward rollout/ep_rew_mean eval/mean_reward charts/episodic_return "
    "episode_reward_mean rewards/accuracies objective/rlhf_reward eval_accuracy val_acc "
    "valAccuracy test/acc eval_f1 val/mAP eval_bleu val_sparse_categorical_accuracy val_auc "
    "eval_wer val_perplexity val_mse val_loss eval_loss validation/loss"
)
UNKNOWN = (
    "loss train_loss accuracy train_acc reward_std frac_reward_zero_std rewards/rejected "
    "rewards/chosen objective/non_score_reward running_reward best_reward total_reward "
    "cumulative_reward intrinsic_reward val_disc_acc d_acc real_score perplexity val_kl_loss "
    "eval_runtime rollout/ep_len_mean learning_rate epoch step entropy reward_error "
)


@pytest.mark.parametrize("name", KNOWN.split())
def test_names_that_say_which_values_are_good(name: str) -> None:
    assert is_metric(name)


@pytest.mark.parametrize("name", ["", "/", "é", *UNKNOWN.split()])
def test_names_that_do_not(name: str) -> None:
    assert not is_metric(name)


RISING, FEW = list(np.linspace(0, 1, 30)), [0.1, 0.2, 0.3, 0.4, 0.5]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"reward": RISING, "eval_reward": RISING}, "eval_reward"),
        ({"reward": RISING, "eval_reward": FEW}, "reward"),
        ({"eval_reward": FEW, "reward": RISING[:4]}, "eval_reward"),
        ({"rewards/accuracies": RISING, "reward": RISING}, "reward"),
        ({"eval_accuracy": RISING, "eval_reward": RISING}, "eval_reward"),
        ({"eval_wer": RISING, "eval_accuracy": RISING}, "eval_accuracy"),
        ({"eval_loss": RISING, "loss": RISING}, None),
        ({"reward": RISING[:4]}, None),
        ({}, None),
    ],
)
def test_the_metric_to_judge_by(names: dict[str, list[float]], expected: str | None) -> None:
    found = chosen({("trainer", name): values for name, values in names.items()})
    assert (found and found.name) == expected
    if found is not None:
        assert found.logged
        assert list(found.values) == names[found.name]


def test_errors_fall_as_things_get_better() -> None:
    found = chosen({("a", "eval_wer"): RISING[::-1]})
    assert found is not None
    assert found.falls
    assert found.is_better


def test_values_of_one_step_count_by_their_mean() -> None:
    logs = Logs()
    for step, value in [(5, 0.0), (5, 1.0), (9, 3.0), (9, math.nan), (12, 4.0)]:
        logs.add(step, "a", {"reward": value})
    logs.add(12, "b", {"reward": 7.0})
    assert logs.all() == {("a", "reward"): (0.5, 3.0, 4.0), ("b", "reward"): (7.0,)}


def test_they_are_bounded() -> None:
    logs = Logs()
    for step in range(5000):
        logs.add(step, "a", {"reward": float(step)})
    values = logs.all()["a", "reward"]
    assert len(values) < 500
    assert values[0] < 20
    assert values[-1] == 4999
    logs.add(0, "a", {f"reward{name}": 0.0 for name in range(1000)})
    assert len(logs.all()) < 100


CLASSES = Chart(
    task=Task.MULTI_CLASS, loss="cross-entropy", loss_mean=True, target_shape=(32,)
)  # fmt: skip


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        ("transformers", "eval_accuracy", "val_acc"),
        ("lightning", "val_acc", "val_acc"),
        ("lightning", "val_acc_epoch", "val_acc"),
        ("keras", "val_sparse_categorical_accuracy", "val_acc"),
        ("keras", "val_loss", "val_loss"),
        ("transformers", "eval_loss", "val_loss"),
        ("lightning", "val_loss", None),  # of whatever the program computes there
        ("keras", "val_top_5_accuracy", None),
        ("keras", "val_binary_accuracy", None),
        ("transformers", "eval_f1", None),
        ("transformers", "accuracy", None),
    ],
)
def test_what_is_known_of_a_validation(source: str, name: str, expected: str | None) -> None:
    assert of_validation(source, {name: 0.5}, CLASSES) == ({expected: 0.5} if expected else {})


@pytest.mark.parametrize(
    "chart",
    [
        Chart(),
        Chart(task=Task.LANGUAGE_MODEL, loss="cross-entropy", loss_mean=True, target_shape=(32,)),
        Chart(task=Task.MULTI_CLASS, loss="cross-entropy", loss_mean=True, target_shape=(32, 8)),
        Chart(task=Task.MULTI_CLASS, loss="cross-entropy", target_shape=(32,)),
        Chart(surrogate="a policy gradient"),
    ],
)
def test_an_accuracy_that_may_be_of_something_else(chart: Chart) -> None:
    assert of_validation("keras", {"val_acc": 0.5}, chart) == {}


def test_percent_are_no_share() -> None:
    assert of_validation("lightning", {"val_acc": 50.0}, CLASSES) == {}
