"""Environments, with something in the place of Gymnasium; `libraries/` has the real one."""

from __future__ import annotations

import copy
import inspect
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from paramedic.probe.guard import Guard
from paramedic.run.environments import Environments, Returns
from tests.run.support import plainly, script, under_watch

CORE = '''
class Env:
    def step(self, action): raise NotImplementedError
    def reset(self, *, seed=None, options=None): ...

class Wrapper(Env):
    def __init__(self, env): self.env = env
    def step(self, action): return self.env.step(action)
    def reset(self, *, seed=None, options=None): return self.env.reset(seed=seed, options=options)

class Count(Env):
    """Each step gives its action; three make an episode."""
    def reset(self, *, seed=None, options=None):
        self.left = 3
        return 0, {}
    def step(self, action):
        if action is None: raise ValueError("no action")
        self.left -= 1
        return 0, float(action), self.left == 0, False, {}

class NormalizeReward(Wrapper):
    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        return (observation, reward / 1000, *rest)

class Double(Wrapper):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return (observation, 2 * reward, *rest)

class Vector(Env):
    def __init__(self, *envs): self.envs = envs
    def reset(self, *, seed=None, options=None):
        return [env.reset(seed=seed) for env in self.envs], {}
    def step(self, actions):
        import numpy
        parts = [env.step(action) for env, action in zip(self.envs, actions)]
        for env, part in zip(self.envs, parts):
            if part[2]: env.reset()
        return (0, *(numpy.array([part[place] for part in parts]) for place in (1, 2, 3)), {})
'''


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("gymnasium.core")
    exec(CORE, vars(module))  # noqa: S102 - the text above
    monkeypatch.setitem(sys.modules, "gymnasium.core", module)
    return module


@pytest.fixture
def seen() -> list[float]:
    return []


@pytest.fixture
def environments(core: ModuleType, seen: list[float]) -> Iterator[Environments]:
    environments = Environments(Guard(strict=True), seen.append)
    environments.open()
    yield environments
    environments.close()


def _play(env: Any, *actions: Any) -> None:
    env.reset(seed=0)
    for action in actions:
        env.step(action)


def test_returns_of_episodes(core: Any, environments: Environments, seen: list[float]) -> None:
    env = core.Count()
    _play(env, 1, 2, 3)
    _play(env, 1)  # it does not end
    _play(env, 5, 5, 5)
    assert seen == [6.0, 15.0]
    assert environments.steps == 7


def test_of_nested_calls_the_outermost_counts(
    core: Any, environments: Environments, seen: list[float]
) -> None:
    _play(core.Double(core.Wrapper(core.Count())), 1, 2, 3)
    assert seen == [12.0]
    assert environments.steps == 3


def test_rewards_are_counted_before_they_are_normalised(
    core: Any, environments: Environments, seen: list[float]
) -> None:
    env = core.Double(core.NormalizeReward(core.Double(core.Count())))
    env.reset()
    assert env.step(1)[1] == pytest.approx(4 / 1000)  # what the program gets is not touched
    env.step(2)
    env.step(3)
    assert seen == [12.0]


def test_classes_that_are_defined_later(
    core: Any, environments: Environments, seen: list[float]
) -> None:
    class Mine(core.Count):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            """Mine."""
            return super().step(10 * action)

    _play(Mine(), 1, 2, 3)
    assert seen == [60.0]
    assert Mine.step.__doc__ == "Mine."
    environments.close()
    _play(Mine(), 1, 2, 3)
    assert seen == [60.0]
    assert "__init_subclass__" not in vars(core.Env)
    assert inspect.isfunction(Mine.step)


def test_a_vector_of_environments(core: Any, environments: Environments, seen: list[float]) -> None:
    env = core.Vector(core.Count(), core.Wrapper(core.Count()))
    _play(env, *[(1, 10)] * 7)
    assert seen == [3.0, 30.0, 3.0, 30.0]
    assert environments.steps == 7


def test_the_old_way_to_end(core: Any, environments: Environments, seen: list[float]) -> None:
    class Old(core.Env):  # type: ignore[misc]
        def reset(self) -> int:
            return 0

        def step(self, action: int) -> Any:
            return 0, 1.0, action == 0, {}

    env = Old()
    env.reset()
    for action in (1, 1, 0):
        env.step(action)
    assert seen == [3.0]


def test_errors_of_an_environment_pass(
    core: Any, environments: Environments, seen: list[float]
) -> None:
    env = core.Double(core.Count())
    env.reset()
    with pytest.raises(ValueError, match="no action"):
        env.step(None)
    _play(env, 1, 1, 1)
    assert seen == [6.0]


def test_copies_for_planning_do_not_count(
    core: Any, environments: Environments, seen: list[float]
) -> None:
    env = core.Count()
    env.reset()
    plan = copy.deepcopy(env)
    for _ in range(3):
        plan.step(100)
    assert seen == []


def test_pickled_as_what_it_stands_for(core: Any, environments: Environments) -> None:
    """A class that is pickled by value takes its methods along, to processes without us."""
    for method in (core.Count.step, core.Count.reset):
        make, (original,) = method.__reduce__()
        assert make(original) is original
        assert original.__code__.co_filename == "<string>"
    env = core.Count()
    assert list(inspect.signature(env.reset).parameters) == ["seed", "options"]
    assert env.step.__self__ is env


def test_what_cannot_be_read_ends_this_part_only(core: Any) -> None:
    environments = Environments(Guard(strict=False), lambda value: None)
    environments.open()
    try:

        class Odd(core.Count):  # type: ignore[misc]
            def step(self, action: Any) -> Any:
                return "nothing of the kind"

        env = Odd()
        env.reset()
        assert env.step(1) == "nothing of the kind"
        assert "environments" in environments.guard.disabled
        assert env.step(1) == "nothing of the kind"
    finally:
        environments.close()


def test_it_takes_microseconds(core: Any, environments: Environments) -> None:
    env = core.Wrapper(core.Wrapper(core.Count()))
    env.reset()

    def seconds() -> float:
        begin = time.perf_counter()
        for _ in range(2000):
            env.step(1)
        return time.perf_counter() - begin

    watched = min(seconds() for _ in range(5))
    environments.close()
    plain = min(seconds() for _ in range(5))
    assert (watched - plain) / 2000 < 50e-6  # about 7e-6 on an idle machine


def test_many_returns_are_merged() -> None:
    returns = Returns()
    for place in range(1001):
        returns.add(place, float(place))
    pairs = returns.all()
    assert 200 <= len(pairs) <= 400
    assert pairs[0][1] == pytest.approx(pairs[0][0] / 2, abs=2)
    assert pairs[-1] == (1000, pytest.approx(1000, abs=4))
    assert [step for step, _ in pairs] == sorted(step for step, _ in pairs)


PROGRAM = """
import gymnasium.core as core
import torch
torch.manual_seed(0)
env = core.Count()
def episode(action):
    env.reset(seed=1)
    done = False
    while not done:
        _, _, done, _, _ = env.step(action)
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), 0.1)
episode(0)
for step in range(20):
    episode(step)
    opt.zero_grad()
    model(torch.ones(4, 2)).pow(2).mean().backward()
    opt.step()
print(model.weight.sum().item())
"""


def test_returns_of_a_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gymnasium").mkdir()
    script(tmp_path, "", "gymnasium/__init__.py")
    script(tmp_path, CORE, "gymnasium/core.py")
    path = script(tmp_path, PROGRAM)
    seen = under_watch(path)
    plain = plainly(path)
    for name in ("gymnasium", "gymnasium.core"):
        monkeypatch.delitem(sys.modules, name)
    assert seen.stdout == plain.stdout
    (record,) = seen.outcome.records
    assert record.interacts
    assert record.interactions == 20
    assert record.returns == ((0, 0.0), *((step, 3.0 * step) for step in range(20)))
