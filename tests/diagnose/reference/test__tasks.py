from __future__ import annotations

import numpy as np
import pytest

from paramedic.diagnose.reference._tasks import output_activation, task_of
from paramedic.types import Task, Window
from tests.diagnose.windows import chart_of, window


def targets(values: np.ndarray, **chart: object) -> Window:
    scalars = {
        "target_min": values.min(),
        "target_max": values.max(),
        "target_mean": values.mean(),
        "target_std": values.std(),
    }
    settings = {"target_kind": "float", "target_shape": values.shape, **chart}
    return window(1, scalars=scalars, chart=chart_of(1, **settings))


@pytest.mark.parametrize(
    ("shape", "task"),
    [
        ((8, 10), Task.MULTI_CLASS),
        ((8, 2), Task.MULTI_CLASS),
        ((8, 21, 32, 32), Task.MULTI_CLASS),
        ((8, 1), Task.BINARY),
        ((8,), Task.BINARY),
    ],
)
def test_integer_targets_are_classes(shape: tuple[int, ...], task: Task) -> None:
    chart = chart_of(1, target_kind="integer", output_shape=shape, task=Task.REGRESSION)
    assert task_of(window(chart=chart)) is task


def test_real_targets_of_zero_and_one_are_labels() -> None:
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, (32, 1)).astype(float)
    assert task_of(targets(labels, task=Task.REGRESSION)) is Task.BINARY
    assert task_of(targets(labels[:, 0], task=Task.REGRESSION)) is Task.BINARY
    one_hot = np.eye(7)[generator.integers(0, 7, 32)]
    assert task_of(targets(one_hot, task=Task.REGRESSION)) is Task.MULTI_CLASS
    several = generator.integers(0, 2, (32, 7)).astype(float)
    assert task_of(targets(several, task=Task.REGRESSION)) is Task.MULTI_LABEL


def test_other_real_targets_are_what_the_chart_says() -> None:
    numbers = np.random.default_rng(0).uniform(0, 1, (32, 1))
    numbers[0], numbers[1] = 0, 1
    assert task_of(targets(numbers, task=Task.REGRESSION)) is Task.REGRESSION
    assert task_of(targets(numbers * 3, task=Task.REGRESSION)) is Task.REGRESSION
    assert task_of(window(chart=chart_of(1, task=Task.LANGUAGE_MODEL))) is Task.MULTI_CLASS
    assert task_of(window(3)) is Task.UNKNOWN


def test_what_is_no_activation_function_is_linear() -> None:
    for function, activation in (
        ("convolution", "linear"),
        ("add", "linear"),
        ("relu", "relu"),
        (None, None),
    ):
        chart = chart_of(1, output_function=function)
        assert output_activation(window(chart=chart)) == activation
